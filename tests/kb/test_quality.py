"""The quality score: its rule, the same in Python and SQL, and when it is stored."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.db import connection
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import User
from accounts.viewer import Viewer
from kb.domain import scores
from kb.domain.citations import cite
from kb.domain.lifecycle import archive, edit_item, restore
from kb.domain.quality import (
    CHECKLIST,
    Advice,
    Facts,
    advice,
    cadence_penalty,
    freshness,
    quality,
    quality_of,
)
from kb.domain.review import mark_reviewed, set_state, verify
from kb.enums import CadenceKind, ReviewStatus
from kb.models import Citation, ContentItem, Domain, ReadMark, Workspace
from tests.factories.library import NOW, domain, item

pytestmark = pytest.mark.django_db

TODAY = NOW.date()
WORDS = "word " * 40
PENALTIES = [
    (None, 0.0),
    (31, 0.0),
    (30, 0.0),
    (29, 10 / 29),
    (1, 10.0),
    (0, 15.0),
    (-1, 15.0),
    (-14, 15.0),
    (-15, 25.0),
    (-30, 25.0),
    (-31, 40.0),
]
ZONES = ["UTC", "Pacific/Kiritimati", "America/Los_Angeles"]


@contextmanager
def session_in(zone: str) -> Iterator[None]:
    """Behind the back of Django, which takes what it reads for UTC."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('TimeZone', %s, true)", [zone])
        yield
        cursor.execute("SELECT set_config('TimeZone', 'UTC', true)")


def stored(made: ContentItem) -> tuple[int, dict[str, Any]]:
    row = ContentItem.objects.values_list("quality_score", "quality_parts")
    return row.get(pk=made.pk)


def a_fact(**values: Any) -> Facts:
    whole: dict[str, Any] = {
        "age": 0,
        "due_in": None,
        "verified_age": 0,
        "reviewed_age": 0,
        "holds": 365,
        "state": ReviewStatus.APPROVED,
        "missing": (),
        "citations": 400,
        "reads": 0,
    }
    return Facts(**whole | values)


@pytest.mark.parametrize(("due_in", "penalty"), PENALTIES)
def test_the_penalty_grows_before_a_review_and_steps_after_it(
    due_in: int | None, penalty: float
) -> None:
    assert cadence_penalty(due_in) == penalty


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("hour", [time(0, 0), time(23, 59, 59)])
@pytest.mark.parametrize(("due_in", "penalty"), PENALTIES)
def test_the_stored_penalty_knows_no_time_zone(
    zone: str, hour: time, due_in: int | None, penalty: float
) -> None:
    """The change is 30 UTC days ago, the last day of full freshness, at both ends."""
    changed = datetime.combine(TODAY - timedelta(days=30), hour, UTC)
    made = item(embedded=False, now=changed)
    due = None if due_in is None else TODAY + timedelta(days=due_in)
    ContentItem.objects.filter(pk=made.pk).update(next_review_date=due)
    with session_in(zone):
        scores.recompute(TODAY)
    assert stored(made)[1]["freshness"] == round(100 - penalty)
    made.refresh_from_db()
    expected = quality_of(made, TODAY)
    assert stored(made) == (expected.score, expected.parts)


@pytest.mark.parametrize(
    ("age", "figure"), [(-5, 100), (0, 100), (30, 100), (380, 50), (730, 0), (999, 0)]
)
def test_freshness_lasts_a_month_and_falls_for_two_years(
    age: int, figure: float
) -> None:
    assert freshness(age) == figure


@pytest.mark.parametrize(
    ("facts", "score"),
    [
        ({}, 100),
        ({"verified_age": 365}, 100),
        ({"verified_age": 366}, 92),
        ({"verified_age": 91, "holds": 90}, 92),
        ({"verified_age": None, "reviewed_age": None}, 85),
        (
            {
                "verified_age": None,
                "reviewed_age": None,
                "state": ReviewStatus.REVIEW_OVERDUE,
            },
            85,
        ),
        (
            {
                "verified_age": None,
                "reviewed_age": None,
                "state": ReviewStatus.IN_REVIEW,
            },
            80,
        ),
        (
            {"verified_age": None, "reviewed_age": None, "state": ReviewStatus.DRAFT},
            75,
        ),
        ({"age": 380}, 85),
        ({"age": 730, "due_in": -31}, 70),
        ({"missing": tuple(CHECKLIST)}, 70),
        ({"citations": 0}, 85),
        ({"citations": 5, "reads": 0}, 94),
        ({"citations": 0, "reads": 15}, 94),
    ],
)
def test_the_score_weighs_four_figures(facts: dict[str, Any], score: int) -> None:
    assert quality(a_fact(**facts)).score == score


def test_without_a_cadence_nothing_is_taken(editor: Viewer) -> None:
    free, bound = item("Free", embedded=False), item("Bound", embedded=False)
    later = date(TODAY.year + 9, 1, 1)
    ContentItem.objects.filter(pk=bound.pk).update(next_review_date=later)
    scores.recompute(TODAY + timedelta(days=200))
    assert stored(free) == stored(bound)


# --- Python and SQL are one rule --------------------------------------------------

days_ago = st.none() | st.integers(-3, 900)


@st.composite
def governed(draw: st.DrawFn) -> dict[str, Any]:
    def moment(ago: int | None) -> datetime | None:
        hour = draw(st.sampled_from([time(0), time(12), time(23, 59, 59, 999999)]))
        if ago is None:
            return None
        return datetime.combine(TODAY - timedelta(days=ago), hour, UTC)

    cadence = draw(st.sampled_from(CadenceKind.values))
    due = draw(st.none() | st.integers(-40, 40))
    return {
        "summary": draw(st.sampled_from(["", "Short."])),
        "ai_keywords": draw(st.sampled_from([[], ["tls"]])),
        "subtopic": draw(st.sampled_from(["", "Backups"])),
        "content": "word " * draw(st.sampled_from([1, 39, 40, 41])),
        "cadence": cadence,
        "review_cadence_days": draw(st.integers(1, 400)),
        "next_review_date": None if due is None else TODAY + timedelta(days=due),
        "content_changed_at": moment(draw(st.integers(-3, 900))),
        "reviewed_at": moment(draw(days_ago)),
        "verified_at": moment(draw(days_ago)),
        "governance_review_status": draw(st.sampled_from(ReviewStatus.values)),
    }


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_the_statement_and_the_function_agree(
    data: st.DataObject, alice: User, bob: User
) -> None:
    group = Group.objects.get_or_create(name="Bids")[0]
    domains: list[Domain | None] = [
        None,
        domain("Bare"),
        domain("Owned", owner=alice, cadence_days=90),
        domain("Shared", owner_group=group, cadence_days=7),
    ]
    owners: list[dict[str, Any]] = [{}, {"owner": bob}, {"owner_group": group}]
    made = item(
        embedded=data.draw(st.booleans()),
        primary_domain=data.draw(st.sampled_from(domains)),
        **data.draw(st.sampled_from(owners)),
    )
    values = data.draw(governed())
    ContentItem.objects.filter(pk=made.pk).update(**values)
    for number in range(data.draw(st.sampled_from([0, 1, 3]))):
        bid = Workspace.objects.get_or_create(name=f"Bid {number}")[0]
        Citation.objects.create(item=made, workspace=bid)
    for reader, ago in ((alice, 180), (bob, 181)):
        if data.draw(st.booleans()):
            at = datetime.combine(TODAY - timedelta(days=ago), time(0), UTC)
            ReadMark.objects.create(
                user=reader, item=made, first_read_at=at, last_read_at=at
            )
    scores.recompute(TODAY)
    made.refresh_from_db()
    expected = quality_of(made, TODAY)
    assert stored(made) == (expected.score, expected.parts)


def test_use_without_end_is_full_and_does_not_underflow() -> None:
    made = item(embedded=False)
    reader = User.objects.create_user("dora")
    ReadMark.objects.create(user=reader, item=made, first_read_at=NOW, last_read_at=NOW)
    bids = Workspace.objects.bulk_create(Workspace(name=f"B{n}") for n in range(4000))
    Citation.objects.bulk_create(Citation(item=made, workspace=bid) for bid in bids)
    scores.recompute(TODAY)
    assert stored(made)[1]["use"] == 100


@pytest.mark.parametrize(
    ("text", "enough"),
    [
        ("", False),
        ("word " * 39, False),
        ("word " * 40, True),
        ("\r\n \t" + "word\r\n" * 39 + "word", True),
        ("  \n" * 200, False),
        ("x" * 5000, False),
        ("備" * 39, False),
        ("備" * 40, True),
        ("備份 " * 20, True),
    ],
)
def test_words_are_counted_in_scripts_with_and_without_spaces(
    text: str, enough: bool
) -> None:
    made = item(content=text or " ", embedded=False)
    found = ContentItem.objects.values_list("has_enough_words", flat=True)
    assert found.get(pk=made.pk) is enough


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    words=st.lists(
        st.text("abc-|#é", min_size=1, max_size=4), min_size=35, max_size=45
    ),
    space=st.text(" \n\t\r", min_size=1, max_size=3),
)
def test_the_column_counts_as_split_does(
    words: list[str], space: str, db: None
) -> None:
    text = space + space.join(words)
    made = item(content=text, embedded=False)
    made.refresh_from_db()
    assert made.has_enough_words is (len(text.split()) >= 40)


# --- When it is stored ------------------------------------------------------------


def test_a_new_item_has_its_score_at_once() -> None:
    made = item(content=WORDS, embedded=False, summary="Short.", ai_keywords=["tls"])
    assert stored(made) == (
        53,
        {
            "freshness": 100,
            "completeness": 43,
            "verification": 40,
            "use": 0,
            "missing": ["domain", "owner", "cadence", "embedding"],
        },
    )


def test_embedding_it_completes_it() -> None:
    assert "embedding" not in stored(item())[1]["missing"]


def test_each_change_moves_the_score_at_once(editor: Viewer) -> None:
    made = item(embedded=False, governance_review_status=ReviewStatus.DRAFT)
    seen = [stored(made)[0]]

    def see() -> None:
        seen.append(stored(made)[0])

    edit_item(editor, made.pk, {"content": WORDS, "summary": "Short."}, NOW)
    see()
    set_state(editor, [made.pk], ReviewStatus.APPROVED, NOW)
    see()
    mark_reviewed(editor, [made.pk], NOW)
    see()
    verify(editor, [made.pk], NOW)
    see()
    cite(editor, made.pk, workspace=Workspace.objects.create(name="Bid"), today=TODAY)
    see()
    assert seen == [30, 39, 49, 56, 64, 66]


def test_an_archived_item_is_left_alone_until_it_comes_back(editor: Viewer) -> None:
    made = item(embedded=False)
    archive(editor, [made.pk], NOW)
    later = NOW + timedelta(days=400)
    assert scores.recompute(later.date()) == scores.Counts()
    fresh = stored(made)
    restore(editor, [made.pk], later)
    assert stored(made)[1]["freshness"] < fresh[1]["freshness"]


def test_rows_that_do_not_change_are_not_written() -> None:
    made = item(embedded=False)
    with connection.cursor() as cursor:
        for expected in (scores.Counts(1, 0), scores.Counts(1, 0)):
            cursor.execute("SELECT ctid FROM kb_contentitem")
            before = cursor.fetchall()
            assert scores.recompute(TODAY) == expected
            cursor.execute("SELECT ctid FROM kb_contentitem")
            assert cursor.fetchall() == before
    ContentItem.objects.filter(pk=made.pk).update(quality_score=99)
    assert scores.recompute(TODAY) == scores.Counts(1, 1)


def test_scores_keep_no_history() -> None:
    made = item(embedded=False)
    scores.recompute(TODAY + timedelta(days=300))
    assert made.history.count() == 1


@pytest.mark.parametrize("count", [1, 3])
def test_scoring_takes_one_statement_however_many_items(
    count: int, django_assert_num_queries: Any
) -> None:
    made = [item(f"Item {n}", embedded=False).pk for n in range(count)]
    with django_assert_num_queries(1):
        scores.rescore(made, TODAY + timedelta(days=90))


# --- What would raise it ----------------------------------------------------------

GOOD = {"freshness": 100, "completeness": 100, "verification": 100, "use": 0}


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({}, None),
        (GOOD | {"missing": []}, None),
        (GOOD | {"missing": ["embedding"]}, None),
        (
            GOOD | {"missing": ["keywords", "owner", "embedding"]},
            Advice(9, ("keywords", "an owner")),
        ),
        (GOOD | {"freshness": 50, "missing": ["keywords", "owner"]}, Advice(15)),
        (GOOD | {"verification": 40, "missing": []}, Advice(15)),
    ],
)
def test_the_greatest_gain_is_named(
    parts: dict[str, Any], expected: Advice | None
) -> None:
    assert advice(parts) == expected


def test_following_the_advice_adds_what_it_says(editor: Viewer) -> None:
    made = item(embedded=False, content=WORDS, primary_domain=domain(owner=None))
    verify(editor, [made.pk], NOW)
    before, parts = stored(made)
    promised = advice(parts)
    assert promised is not None
    assert promised.missing == (
        "a summary",
        "keywords",
        "a domain and subtopic",
        "an owner",
        "a review cadence",
    )
    owner = User.objects.get(username="bob")
    changes = {
        "summary": "S",
        "ai_keywords": ["k"],
        "subtopic": "B",
        "owner": owner,
    }
    edit_item(editor, made.pk, changes, NOW)
    ContentItem.objects.filter(pk=made.pk).update(cadence=CadenceKind.EVERGREEN)
    verify(editor, [made.pk], NOW)
    assert abs(stored(made)[0] - before - promised.points) <= 1


def test_the_item_page_says_it(client: Client, charlie: User) -> None:
    client.force_login(charlie)
    made = item(embedded=False)
    page = client.get(f"/items/{made.pk}").content.decode()
    assert (
        "Adding a summary, keywords, a domain and subtopic, an owner, a review cadence "
        "and text of at least 40 words would add about 26 points." in page
    )
    assert "30 of 30" in page
