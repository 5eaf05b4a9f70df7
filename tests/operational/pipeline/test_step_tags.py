import pytest

from operational.pipeline.steps import tags as step
from tests.operational.pipeline.records import ask, failure

TAGGED = failure(1, "a", "Any title", tags=("disk", "build-host", "logs"))


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("disk logs", 80),
        ("disk build host logs", 80),
        ("the disk of the log", 80),
        ("disk logs today", 53),
        ("disk today", 40),
        ("disk today again tomorrow evening", None),
        ("disk logs today again tomorrow evening", 27),
        ("nothing of it", None),
    ],
)
def test_points_follow_the_share_of_words(text: str, points: int | None) -> None:
    found = step.find(ask(text, TAGGED))
    assert [c.confidence for c in found] == ([] if points is None else [points])


def test_pastes_are_not_read_for_tags() -> None:
    assert step.find(ask("disk logs\n" * 3, TAGGED)) == []
