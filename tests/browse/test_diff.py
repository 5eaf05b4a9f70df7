"""Changes as people read them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browse.diff import ADDED, DELETED, GAP, MOST, Line, diff


def read(lines: list[Line]) -> list[str]:
    """Each line with its sign, changed words in brackets."""
    signs = {ADDED: "+", DELETED: "-", GAP: "…"}
    return [
        signs.get(line.kind, " ")
        + "".join(f"[{p.text}]" if p.changed else p.text for p in line.parts)
        for line in lines
    ]


def test_only_the_words_that_differ_are_marked() -> None:
    assert read(diff("Kept for 35 days.", "Kept for 90 days.")) == [
        "-Kept for [35] days.",
        "+Kept for [90] days.",
    ]


def test_paragraphs_far_from_a_change_are_left_out() -> None:
    old = "\n\n".join(["One", "Two", "Three", "Four", "Five"])
    assert read(diff(old, old.replace("Five", "Six"))) == [
        "…",
        " Four",
        "-[Five]",
        "+[Six]",
    ]


def test_what_came_and_went_stands_whole() -> None:
    assert read(diff("One", "One\nTwo")) == [" One", "+[Two]"]
    assert read(diff("One\nTwo", "One")) == [" One", "-[Two]"]
    assert read(diff("", "New")) == ["+[New]"]


def test_the_same_and_the_too_long_are_not_compared() -> None:
    assert diff("One", "One") == []
    assert diff("a" * MOST, "b") == []


@pytest.mark.filterwarnings("ignore::hypothesis.errors.NonInteractiveExampleWarning")
@given(st.text(alphabet="ab \n", max_size=60), st.text(alphabet="ab \n", max_size=60))
def test_both_texts_can_be_read_off_the_changed_lines(old: str, new: str) -> None:
    lines = diff(old, new)
    gone = [ln for ln in read(lines) if ln.startswith("-")]
    come = [ln for ln in read(lines) if ln.startswith("+")]
    strip = str.maketrans("", "", "[]")
    assert {ln[1:].translate(strip) for ln in gone} <= set(old.split("\n"))
    assert {ln[1:].translate(strip) for ln in come} <= set(new.split("\n"))
