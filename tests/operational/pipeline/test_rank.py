from datetime import date, timedelta

from operational.pipeline.rank import Candidate, Reason, bonus, merged, ordered, recency
from operational.pipeline.records import Record
from tests.operational.pipeline.records import failure, library

TODAY = date(2026, 11, 30)


def rank(
    records: list[Record], points: dict[str, int], *, pattern: bool = False
) -> list[str]:
    known = library(*records)
    found = [
        Candidate(known.place_of[r.pk], points[r.slug], Reason.SYMPTOM) for r in records
    ]
    rows = ordered(found, known, pattern_first=pattern, today=TODAY)
    return [known.records[c.place].slug for c in rows]  # type: ignore[union-attr]


def test_bonuses_follow_what_is_documented() -> None:
    assert bonus(failure(1, "a", instances=1)) == 0
    assert bonus(failure(1, "a", instances=2)) == 15
    full = failure(1, "a", instances=3, playbook=True, pattern=9)
    assert bonus(full) == 15 + 10 + 10 + 8


def test_recency_falls_from_five_to_nothing_in_a_year() -> None:
    def of(days: int) -> float:
        return recency(
            failure(1, "a", last_occurrence=TODAY - timedelta(days=days)), TODAY
        )

    assert [of(0), of(365), of(900)] == [5.0, 0.0, 0.0]
    assert 2.4 < of(183) < 2.6
    assert recency(failure(1, "a"), TODAY) == 0.0


def test_exact_matches_are_not_outweighed() -> None:
    often = failure(1, "often", instances=3, playbook=True, pattern=9)
    exact = failure(2, "exact")
    assert rank([often, exact], {"often": 80, "exact": 92}) == ["exact", "often"]


def test_among_others_what_happens_often_comes_first() -> None:
    often = failure(1, "often", instances=3)
    once = failure(2, "once")
    assert rank([once, often], {"once": 75, "often": 60}) == ["often", "once"]


def test_recency_decides_among_equals_only() -> None:
    old = failure(1, "old", last_occurrence=TODAY - timedelta(days=300))
    new = failure(2, "new", last_occurrence=TODAY)
    assert rank([old, new], {"old": 60, "new": 60}) == ["new", "old"]
    assert rank([old, new], {"old": 61, "new": 60}) == ["old", "new"]


def test_a_pattern_leads_its_failures() -> None:
    pattern = Record(pk=5, type="pattern", slug="p", title="P")
    member = failure(1, "member", instances=3, pattern=5)
    points = {"p": 70, "member": 69}
    assert rank([member, pattern], points, pattern=True) == ["p", "member"]


def test_a_record_counts_once_with_its_best() -> None:
    weak = Candidate(3, 40, Reason.TAGS, 0.9)
    strong = Candidate(3, 60, Reason.KEYWORD, 0.2)
    assert merged([weak, strong]) == [Candidate(3, 60, Reason.KEYWORD, 0.9)]
