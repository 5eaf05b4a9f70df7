from operational.pipeline.steps import slugs as step
from tests.operational.pipeline.records import ask, failure, slugs


def test_a_slug_is_certain_however_it_is_written() -> None:
    for text in ("disk-full", "Disk full", "DISK_FULL!", " disk--full "):
        query = ask(text, failure(1, "disk-full"))
        found = step.find(query)
        assert [(c.confidence, c.reason) for c in found] == [(100, "exact slug")]
        assert slugs(query, found) == ["disk-full"]


def test_part_of_a_slug_is_none() -> None:
    assert step.find(ask("disk", failure(1, "disk-full"))) == []
