"""Review dates follow the cadence in force, an item's own or its domain's, at once."""

from datetime import date, timedelta
from typing import Any

import pytest

from accounts.models import User
from accounts.viewer import Viewer
from kb.domain.domain_settings import edit_domain
from kb.domain.lifecycle import archive, edit_item
from kb.domain.quality import quality_of
from kb.domain.review import flag_overdue, mark_reviewed, set_cadence
from kb.enums import CadenceKind, ReviewStatus
from kb.models import ContentItem
from tests.factories.library import NOW, domain, item

pytestmark = pytest.mark.django_db

TODAY = NOW.date()


def days(count: int) -> date:
    return TODAY + timedelta(days=count)


def as_scored(made: ContentItem, today: date = TODAY) -> bool:
    """Whether the stored score is what the rule gives for the item as stored."""
    stored = ContentItem.objects.select_related("primary_domain").get(pk=made.pk)
    found = quality_of(stored, today)
    return (stored.quality_score, stored.quality_parts) == (found.score, found.parts)


def test_an_item_that_moves_takes_the_cadence_of_its_new_domain(
    governor: Viewer,
) -> None:
    made = item(embedded=False, primary_domain=domain("Slow", cadence_days=365))
    mark_reviewed(governor, [made.pk], NOW)
    moved = edit_item(
        governor,
        made.pk,
        {"primary_domain": domain("Fast", cadence_days=30)},
        NOW + timedelta(days=5),
    )
    assert moved.next_review_date == days(30)
    moved = edit_item(governor, made.pk, {"primary_domain": domain("Never")}, NOW)
    assert moved.next_review_date is None
    assert as_scored(made)


@pytest.mark.parametrize(
    "values",
    [
        {"cadence": CadenceKind.PERIOD, "review_cadence_days": 90},
        {"cadence": CadenceKind.FIXED, "next_review_date": date(2030, 1, 1)},
        {"cadence": CadenceKind.EVERGREEN},
    ],
)
def test_an_items_own_cadence_stays_when_it_moves(
    governor: Viewer, values: dict[str, Any]
) -> None:
    made = item(embedded=False, **values)
    before = made.next_review_date
    where = domain("Fast", cadence_days=30)
    moved = edit_item(governor, made.pk, {"primary_domain": where}, NOW)
    assert moved.next_review_date == before
    edit_domain(governor, where.pk, {"cadence_days": 7}, NOW)
    moved.refresh_from_db()
    assert moved.next_review_date == before


def test_a_domains_new_cadence_moves_its_items_with_history_and_scores(
    governor: Viewer, alice: User
) -> None:
    where = domain(cadence_days=365)
    made = item(embedded=False, primary_domain=where)
    put_away = item(embedded=False, primary_domain=where)
    archive(governor, [put_away.pk], NOW)
    edit_domain(governor, where.pk, {"cadence_days": 20}, NOW)

    dates = ContentItem.objects.values_list("next_review_date", flat=True)
    assert list(dates) == [days(20)] * 2
    assert as_scored(made)
    row = made.history.latest("history_id")
    assert (row.history_change_reason, row.history_user, row.next_review_date) == (
        "Cadence of Information security",
        alice,
        days(20),
    )
    edit_domain(governor, where.pk, {"cadence_days": None}, NOW)
    made.refresh_from_db()
    assert made.next_review_date is None
    assert as_scored(made)


def test_a_domains_new_owner_counts_in_scores_at_once(
    governor: Viewer, bob: User
) -> None:
    where = domain()
    made = item(embedded=False, primary_domain=where)
    made.refresh_from_db()
    before = made.quality_score
    edit_domain(governor, where.pk, {"owner": bob}, NOW)
    made.refresh_from_db()
    assert made.quality_score > before
    assert as_scored(made)


def test_what_is_no_longer_late_is_no_longer_overdue(governor: Viewer) -> None:
    where = domain(cadence_days=30)
    ages = {"by domain": where, "by move": where, "by cadence": where, "still": where}
    made = {
        title: item(title, embedded=False, primary_domain=place)
        for title, place in ages.items()
    }
    later = NOW + timedelta(days=40)
    assert flag_overdue(later) == 4
    slow = domain("Slow", cadence_days=365)
    edit_item(governor, made["by move"].pk, {"primary_domain": slow}, later)
    set_cadence(governor, [made["by cadence"].pk], CadenceKind.EVERGREEN, later)
    fixed: dict[str, Any] = {"kind": CadenceKind.FIXED, "now": later, "on": days(35)}
    set_cadence(governor, [made["still"].pk], **fixed)
    edit_domain(governor, where.pk, {"cadence_days": 60}, later)
    states = ContentItem.objects.values_list("title", "governance_review_status")
    assert dict(states) == {
        "by domain": ReviewStatus.APPROVED,
        "by move": ReviewStatus.APPROVED,
        "by cadence": ReviewStatus.APPROVED,
        "still": ReviewStatus.REVIEW_OVERDUE,
    }


def test_a_shorter_cadence_makes_overdue_by_the_next_night(governor: Viewer) -> None:
    where = domain(cadence_days=365)
    item(embedded=False, primary_domain=where)
    later = NOW + timedelta(days=40)
    edit_domain(governor, where.pk, {"cadence_days": 30}, later)
    assert flag_overdue(later) == 1
