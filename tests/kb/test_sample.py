from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
import yaml
from django.core.management import call_command

from accounts.models import User
from accounts.viewer import Viewer
from kb.domain.citations import win_rate
from kb.domain.lifecycle import edit_item
from kb.enums import BidStatus, ContentType, ReviewStatus
from kb.models import (
    Citation,
    ContentItem,
    Domain,
    FormResponse,
    ItemIndex,
    ReadMark,
    Workspace,
)
from kb.sample.load import FOLDER, load

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)
SAMPLE = yaml.safe_load((FOLDER / "sample.yaml").read_text(encoding="utf-8"))


def by_slug() -> dict[str, ContentItem]:
    items = ContentItem.objects.filter(source_path__startswith="Sample: items/")
    return {item.source_path[14:].removesuffix(".md"): item for item in items}


def everything() -> list[object]:
    models = (ContentItem, Domain, User, Workspace, FormResponse, Citation, ReadMark)
    return [list(model.objects.order_by("pk").values()) for model in models]


def test_the_sample_shows_every_type_state_domain_and_outcome() -> None:
    load(NOW)
    items = ContentItem.objects
    assert 40 <= items.count() <= 60
    assert set(items.values_list("content_type", flat=True)) == set(ContentType.values)
    states = set(items.values_list("governance_review_status", flat=True))
    assert states == set(ReviewStatus.values)
    assert items.filter(archived_at__isnull=False).exists()
    assert items.filter(superseded_by__isnull=False).exists()
    assert items.filter(verified_at__isnull=False).exists()
    domains = {entry["name"] for entry in SAMPLE["domains"]}
    assert set(Domain.objects.values_list("name", flat=True)) == domains
    assert set(items.values_list("primary_domain__name", flat=True)) == domains
    assert len(set(items.values_list("layer", flat=True))) > 1
    outcomes = set(Workspace.objects.values_list("status", flat=True))
    assert outcomes == set(BidStatus.values)


def test_days_count_from_the_day_of_loading() -> None:
    load(NOW)
    items = by_slug()
    assert set(items) == set(SAMPLE["governance"])
    for slug, state in SAMPLE["governance"].items():
        item = items[slug]
        changed = NOW - timedelta(days=state["changed_days_ago"])
        assert (item.governance_review_status, item.content_changed_at) == (
            state["state"],
            changed,
        )
        if "due_in_days" in state:
            due = (NOW + timedelta(days=state["due_in_days"])).date()
            assert item.next_review_date == due
        if "superseded_by" in state:
            assert item.superseded_by == items[state["superseded_by"]]
        reviewed = state.get("reviewed_days_ago")
        assert (item.reviewed_at is None) == (reviewed is None)


def test_no_approved_item_is_past_its_date() -> None:
    load(NOW)
    late = ContentItem.objects.live().filter(next_review_date__lt=NOW.date())
    states = set(late.values_list("governance_review_status", flat=True))
    assert ReviewStatus.REVIEW_OVERDUE in states
    assert ReviewStatus.APPROVED not in states


def test_everything_is_indexed_and_has_history() -> None:
    load(NOW)
    assert ItemIndex.objects.count() == ContentItem.objects.count()
    item = by_slug()["back-up-and-restore-tests"]
    assert [row.history_change_reason for row in item.history.all()] == [
        "Sample",
        "Import",
    ]


def test_win_rates_follow_from_the_bids() -> None:
    load(NOW)
    item = by_slug()["device-encryption"]
    decided = [
        bid["status"]
        for bid in SAMPLE["bids"]
        if bid["status"] in ("won", "lost")
        and any(
            "device-encryption" in entry.get("cites", [])
            for entry in (bid, *bid["questions"])
        )
    ]
    assert (item.bids_won, item.bids_decided) == (decided.count("won"), len(decided))
    assert win_rate(item.bids_won, item.bids_decided) is not None


def test_nobody_can_sign_in_as_one_of_the_people() -> None:
    load(NOW)
    people = User.objects.all()
    assert people.count() == len(SAMPLE["people"])
    assert not any(person.has_usable_password() for person in people)


def test_a_second_run_changes_nothing() -> None:
    load(NOW)
    before = everything()
    assert not load(NOW + timedelta(days=40))
    assert everything() == before


def test_what_people_changed_since_stays() -> None:
    load(NOW)
    item = by_slug()["service-credits"]
    edit_item(Viewer.system(), item.pk, {"title": "Ours now"}, NOW)
    load(NOW + timedelta(days=1))
    item.refresh_from_db()
    assert item.title == "Ours now"


def test_a_person_who_is_there_already_keeps_account_and_password() -> None:
    User.objects.create_user("hana.vogt", password="own-pass-1", first_name="H")
    load(NOW)
    hana = User.objects.get(username="hana.vogt")
    assert hana.check_password("own-pass-1")
    assert hana.first_name == "H"


def test_the_command_prints_one_line() -> None:
    out = StringIO()
    call_command("load_sample", stdout=out)
    assert out.getvalue() == (
        f"Sample loaded: {len(SAMPLE['governance'])} items, "
        f"{len(SAMPLE['domains'])} domains, {len(SAMPLE['people'])} people, "
        f"{len(SAMPLE['bids'])} bids.\n"
    )
    out = StringIO()
    call_command("load_sample", stdout=out)
    assert out.getvalue() == "The sample is loaded already; nothing was changed.\n"
    out = StringIO()
    call_command("load_sample", stdout=out, verbosity=0)
    assert out.getvalue() == ""
