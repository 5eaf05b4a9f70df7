"""What of a message is shown as standing for anything."""

import pytest

from operational.pipeline.masks import masked


def shown(text: str) -> str:
    return "".join(f"<{p.text}>" if p.free else p.text for p in masked(text))


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("Can't resolve 'fs'", "Can't resolve 'fs'"),
        ("Can't resolve 'fs' in '{path}'", "Can't resolve 'fs' in '<path>'"),
        ("open '/srv/a.txt' failed", "open '</srv/a.txt>' failed"),
        ("timed out after 30s at 10.0.0.7", "timed out after 30s at <10.0.0.7>"),
        ("<name> is not …", "<name> is not <…>"),
        ("a <div> in 3 places", "a <div> in <3> places"),
        ("HTTP 404", "HTTP 404"),
        ("", ""),
    ],
)
def test_values_and_placeholders_are_free(text: str, marked: str) -> None:
    assert shown(text) == marked


def test_all_of_the_text_is_there() -> None:
    text = "ERR_X: failed to fetch https://a.example/x in v1.2.3 (0xff), code 7"
    assert "".join(piece.text for piece in masked(text)) == text
