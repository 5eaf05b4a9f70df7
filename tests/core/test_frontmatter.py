from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import frontmatter
from core.errors import BadInput


def test_a_text_without_front_matter_is_all_body() -> None:
    assert frontmatter.split("# Title\n\n---\n") == ({}, "# Title\n\n---\n")


def test_an_unclosed_line_at_the_head_is_no_front_matter() -> None:
    assert frontmatter.split("---\nJust text") == ({}, "---\nJust text")


def test_values_stay_the_text_that_was_written() -> None:
    text = (
        "---\nTitle: No\nversion: 1.10\ndate: 2026-13-45\ntags: [a, b]\n---\n\nBody\n"
    )
    assert frontmatter.split(text) == (
        {"title": "No", "version": "1.10", "date": "2026-13-45", "tags": ["a", "b"]},
        "Body\n",
    )


@pytest.mark.parametrize("empty", ["", " ~", " null", ' ""'])
def test_a_key_without_a_value_is_empty(empty: str) -> None:
    assert frontmatter.split(f"---\nauthor:{empty}\n---\nx") == ({"author": ""}, "x")


def test_an_empty_block_is_no_fields() -> None:
    assert frontmatter.split("---\n---\nBody") == ({}, "Body")


def test_invalid_yaml_is_refused_with_its_line() -> None:
    with pytest.raises(BadInput, match=r"not valid YAML: .*\(line 3\)"):
        frontmatter.split("---\ntitle: x\nbad: a: b\n---\nBody")


def test_a_block_that_is_no_mapping_is_refused() -> None:
    with pytest.raises(BadInput, match="not a list of keys and values"):
        frontmatter.split("---\n- a\n- b\n---\nBody")


def test_a_block_over_64_kb_is_refused() -> None:
    with pytest.raises(BadInput, match="longer than 64 KB"):
        frontmatter.split(f"---\ntitle: {'x' * 70_000}\n---\nBody")


def test_a_bomb_of_aliases_is_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    for level in range(1, 12):
        inside = ", ".join([f"*a{level - 1}"] * 10)
        lines.append(f"a{level}: &a{level} [{inside}]")
    with pytest.raises(BadInput, match="too many values"):
        frontmatter.split("---\n" + "\n".join(lines) + "\n---\nBody")


@pytest.mark.parametrize("hostile", ["&a [*a]", "[" * 5_000, "!!python/object:os.x {}"])
def test_hostile_yaml_never_runs_or_recurses(hostile: str) -> None:
    try:
        fields, _ = frontmatter.split(f"---\ntitle: {hostile}\n---\nBody")
    except BadInput:
        return
    assert fields == {"title": {}} or fields == {"title": ""}


def test_nul_is_dropped_from_values() -> None:
    assert frontmatter.split('---\ntitle: "a\\0b"\n---\nx') == ({"title": "ab"}, "x")


def test_joined_front_matter_splits_into_the_same() -> None:
    fields = {"title": "A: b #c", "tags": ["é", "no"], "updated": "2026-01-02"}
    assert frontmatter.split(frontmatter.join(fields, "Body\n")) == (fields, "Body\n")


@given(st.text(max_size=300))
def test_no_text_does_more_than_be_refused(text: str) -> None:
    for head in ("", "---\n", "---\na: "):
        with suppress(BadInput):
            frontmatter.split(f"{head}{text}\n---\nBody")
