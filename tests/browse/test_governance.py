"""`/governance`: figures that lead to their items, what to mend, gaps to write."""

import re
from datetime import date, timedelta
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import User
from accounts.viewer import Viewer
from core.errors import NotAllowed
from core.registry import MailTime
from kb.domain import cleanup, governance, review
from kb.domain.governance import Scope
from kb.domain.lifecycle import archive
from kb.enums import JobOutcome, ReviewStatus
from kb.models import ContentItem, JobRun
from search.insights import assigned
from search.models import Gap, SearchLog
from tests.browse.pages import links, text
from tests.factories.library import NOW, domain, item

pytestmark = pytest.mark.django_db
TODAY = NOW.date()


@pytest.fixture
def desk(client: Client, alice: User) -> Client:
    client.force_login(alice)
    return client


def made(title: str, days: int | None = None, **values: Any) -> ContentItem:
    """Due in so many days of the real today, which is the page's."""
    on = timezone.now().date() + timedelta(days=days) if days is not None else None
    return item(title, embedded=False, next_review_date=on, **values)


def searched(query: str, user: User | None = None, **values: Any) -> SearchLog:
    given = {
        "created_at": timezone.now(),
        "source": "page",
        "mode": "hybrid",
        "hits": 0,
        "total": 0,
        "found_nothing": True,
        "weak": False,
        "duration_ms": 40,
    }
    return SearchLog.objects.create(query=query, user=user, **{**given, **values})


# --- Who may ----------------------------------------------------------------------


def test_it_is_for_editors_and_admins(
    client: Client, as_reader: Client, as_editor: Client
) -> None:
    assert client.get("/governance")["Location"].startswith("/sign-in?next=")
    assert as_reader.get("/governance").status_code == 403
    assert as_reader.post("/governance/gaps", {"query": "x"}).status_code == 403
    assert links(as_reader.get("/browse"), "Governance") == []
    assert as_editor.get("/governance").status_code == 200
    assert links(as_editor.get("/browse"), "Governance") != []


# --- Figures ----------------------------------------------------------------------


def test_what_is_not_in_force_or_archived_is_not_due(governor: Viewer) -> None:
    def due(title: str, days: int, **values: Any) -> ContentItem:
        on = TODAY + timedelta(days=days)
        return item(title, embedded=False, next_review_date=on, **values)

    due("Late", -31)
    due("Flagged", 40, governance_review_status=ReviewStatus.REVIEW_OVERDUE)
    due("Draft", -1, governance_review_status=ReviewStatus.DRAFT)
    due("In review", 1, governance_review_status=ReviewStatus.IN_REVIEW)
    for days in (0, 30, 31, 60, 61, 90, 91):
        due(f"In {days}", days)
    archive(governor, [due("Gone", -1).pk], NOW)
    found = governance.totals(Scope().items(governor), TODAY)
    assert (found.items, found.overdue, found.overdue_over_a_month) == (11, 2, 1)
    assert (found.due_30, found.due_60, found.due_90) == (2, 3, 2)
    assert found.first_due == TODAY
    weeks = governance.due_by_week(Scope().items(governor), TODAY)
    assert sum(weeks) == 7
    assert weeks[0] == 1


@pytest.mark.parametrize(
    ("counts", "middle"), [({}, None), ({7: 1}, 7), ({1: 1, 2: 1, 9: 1}, 2)]
)
def test_the_median_is_the_middle_one(
    counts: dict[int, int], middle: int | None
) -> None:
    assert governance.median(counts) == middle


def test_every_number_leads_to_so_many_items_in_admin(desk: Client) -> None:
    team = Group.objects.create(name="Hosting")
    boss = User.objects.create_user("boss", first_name="Bo", role="editor")
    where = domain("Hosting", owner_group=team)
    made("Late", -3, owner=boss, quality_score=10)
    made("Later", -40, primary_domain=where, quality_score=49)
    made("Soon", 5, primary_domain=where, quality_score=50)
    made("Then", 45, quality_score=100)
    made("Nobody's", -1, quality_score=95)
    made("Draft", governance_review_status=ReviewStatus.DRAFT)
    body = desk.get("/governance").content.decode()
    rows = re.findall(
        r'<a href="(/admin/kb/contentitem/\?[^"]*)">[^<]*</a>'
        r'(?:</td>\s*<td class="r">|\s*<b>|</dt>\s*<dd>\s*)(\d+)',
        body,
    )
    assert len(rows) > 35
    for url, count in rows:
        listed = desk.get(unescape(url))
        assert (url, listed.status_code) == (url, 200)
        assert (url, listed.context["cl"].result_count) == (url, int(count))


def test_an_owner_sees_what_is_theirs_their_groups_and_their_domains(
    as_editor: Client, bob: User
) -> None:
    team = Group.objects.create(name="Hosting")
    bob.groups.add(team)
    made("Own", -1, owner=bob)
    made("Team's", -1, owner_group=team)
    made("Domain's", -1, primary_domain=domain("D", owner=bob))
    made("Other's", -1)
    page = as_editor.get("/governance?owner=me")
    assert re.search(r"\b3 overdue for review|3\b", text(page))
    titles = text(page)
    assert all(each in titles for each in ("Own", "Team's", "Domain's"))
    assert "Other's" not in titles


@pytest.mark.parametrize(
    "query",
    ["owner=x", "owner=g", "owner=%00", "domain=x", "domain=1e9", "fix=nix"],
)
def test_what_cannot_be_read_is_refused(query: str, as_editor: Client) -> None:
    assert as_editor.get(f"/governance?{query}").status_code == 400


def test_a_domain_or_owner_that_is_gone_is_empty(as_editor: Client) -> None:
    made("Late", -1)
    page = as_editor.get("/governance?domain=999&owner=999")
    assert "Nothing here needs mending." in text(page)


def test_charts_speak_and_have_a_table(as_editor: Client) -> None:
    made("Soon", 5)
    body = as_editor.get("/governance").content.decode()
    said = re.findall(r'class="chart"[^>]*aria-label="([^"]*)"', body, re.DOTALL)
    assert len(said) == 4
    assert "Reviews due: 1 in the next 30 days, 0 in days 31 to 60" in said[2]
    assert body.count("Show as a table") == 2
    assert "style=" not in body.split("<main")[1].split("</main>")[0]


def test_an_empty_library_has_a_page(as_editor: Client) -> None:
    page = text(as_editor.get("/governance"))
    assert "No nightly job has run yet" in page
    assert "Every search of the last 30 days found something." in page


def test_it_costs_the_same_however_much_there_is(as_editor: Client) -> None:
    counts = []
    for rows in (1, 3):
        for n in range(rows):
            boss = User.objects.create_user(f"b{rows}{n}", role="editor")
            where = domain(f"D{rows}{n}", owner=boss)
            made(f"Late {rows} {n}", -1, primary_domain=where, owner=boss)
            searched(f"words {rows} {n}", boss)
            JobRun.objects.create(
                job=f"job {rows} {n}", date=TODAY, outcome="done", started_at=NOW
            )
        with CaptureQueriesContext(connection) as queries:
            as_editor.get("/governance")
        counts.append(len(queries))
    assert counts[0] == counts[1]


# --- What to mend -----------------------------------------------------------------


def test_the_heaviest_comes_first_and_says_why(governor: Viewer) -> None:
    def put(title: str, on: date | None = None, **values: Any) -> None:
        values.setdefault("owner", User.objects.get())
        item(title, embedded=False, next_review_date=on, **values)
        ContentItem.objects.filter(title=title).update(
            **{"quality_score": 80, "quality_parts": {"use": 20}}
            | {
                k: v
                for k, v in values.items()
                if k in ("quality_score", "bids_decided")
            }
        )

    late = TODAY - timedelta(days=1)
    put("Fine")
    put("Late", late)
    put("Late and cited", late, bids_decided=2)
    put("Poor", quality_score=20)
    put("Nobody's", owner=None)
    found = cleanup.first(Scope().items(governor), TODAY)
    assert [(each.item.title, [r.name for r in each.reasons]) for each in found] == [
        ("Late and cited", ["overdue", "cited"]),
        ("Late", ["overdue"]),
        ("Nobody's", ["ownerless"]),
        ("Poor", ["low"]),
    ]
    counts = cleanup.counts(Scope().items(governor), TODAY)
    assert counts == {
        "overdue": 2,
        "cited": 1,
        "ownerless": 1,
        "low": 1,
        "draft": 0,
        "inactive": 0,
    }
    only = cleanup.first(Scope().items(governor), TODAY, "low")
    assert [each.item.title for each in only] == ["Poor"]


def test_what_is_chosen_goes_to_the_confirmation_of_admin(desk: Client) -> None:
    late = made("Late", -1)
    body = desk.get("/governance").content.decode()
    action = re.search(r'<form method="post" action="(/admin/[^"]*)">', body)
    assert action
    sent = {"_selected_action": [str(late.pk)], "action": "mark_reviewed", "index": "0"}
    confirm = desk.post(action[1], sent)
    assert "Mark reviewed" in text(confirm)
    assert "Late" in text(confirm)
    late.refresh_from_db()
    assert late.reviewed_at is None


@pytest.mark.parametrize(
    "action", ["mark_reviewed", "send_to_review", "set_owner", "set_cadence", "archive"]
)
def test_the_actions_offered_exist(action: str, desk: Client) -> None:
    late = made("Late", -1)
    sent = {"_selected_action": [str(late.pk)], "action": action, "index": "0"}
    assert desk.post("/admin/kb/contentitem/", sent).status_code == 200


def test_runs_and_changes_without_a_person_are_listed(as_editor: Client) -> None:
    now = timezone.now()
    made("Late", -1)
    review.flag_overdue(now)
    JobRun.objects.create(
        job="flag_overdue",
        date=now.date(),
        outcome=JobOutcome.FAILED,
        message="The database was away.",
        started_at=now,
        finished_at=now,
    )
    page = text(as_editor.get("/governance"))
    assert "Flag overdue reviews" in page
    assert "The database was away. Failed" in page
    assert "Review date passed 1" in page


# --- Gaps -------------------------------------------------------------------------


def test_spellings_of_the_same_words_count_as_one(
    as_editor: Client, bob: User, charlie: User
) -> None:
    searched("TUPE  pension", bob)
    searched("tupe pension", bob)
    searched("Tupé pension?", charlie)
    searched("found", total=3, found_nothing=False)
    page = as_editor.get("/governance")
    assert "Tupé pension? 3 2" in text(page)
    assert "3 searches found nothing of 4 in 30 days" in re.sub(
        r"searches found nothing (\d+) of", r"\1 searches found nothing of", text(page)
    )


def test_a_gap_is_assigned_and_told_in_the_digest(
    as_editor: Client, alice: User, charlie: User
) -> None:
    searched("modern slavery")
    sent = {"query": "modern slavery", "person": str(alice.pk)}
    assert as_editor.post("/governance/gaps", sent)["Location"] == "/governance#c-zero"
    gap = Gap.objects.get()
    assert (gap.assigned_to, str(gap.assigned_by)) == (alice, "bob")
    told = assigned([alice.pk, charlie.pk], MailTime(TODAY, NOW, NOW))
    assert [part.lines[0].text for part in told.values()] == ["modern slavery"]
    assert "selected>Alice" in as_editor.get("/governance").content.decode()
    for person, status in ((charlie.pk, 400), ("x", 400), (999, 400)):
        sent = {"query": "modern slavery", "person": str(person)}
        assert as_editor.post("/governance/gaps", sent).status_code == status


def test_a_gap_set_aside_comes_back_when_it_is_searched_again(
    as_editor: Client,
) -> None:
    searched("pizza menu")
    as_editor.post("/governance/gaps", {"query": "pizza menu", "person": ""})
    assert "pizza menu" not in text(as_editor.get("/governance"))
    searched("Pizza menu")
    assert "Pizza menu" in text(as_editor.get("/governance"))


def test_words_that_nobody_searched_make_no_gap(as_editor: Client) -> None:
    for query in ("", " ", "never", "\x00"):
        answered = as_editor.post("/governance/gaps", {"query": query, "person": ""})
        assert answered.status_code == 404
    assert not Gap.objects.exists()


def test_only_editors_see_what_is_searched(reader: Viewer) -> None:
    from search.service import insight

    with pytest.raises(NotAllowed):
        insight(reader, NOW)
