"""Fills a hub with the sample: an invented company's library, its people and its bids.

Only what is missing is written, so that running it again changes nothing and no work
done in the hub since is undone. Days in `sample.yaml` count from the day of loading.
"""

from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import yaml
from django.db import transaction

from accounts.enums import Role
from accounts.models import User
from accounts.viewer import Viewer
from core.errors import Conflict
from kb.domain import history, scores
from kb.domain.bids import open_bid, save_question
from kb.domain.cadence import next_review_date
from kb.domain.citations import cite
from kb.domain.reading import mark_read
from kb.domain.responses import answer
from kb.enums import BidStatus
from kb.importers.base import Options
from kb.importers.plan import Action
from kb.importers.service import import_files
from kb.models import ContentItem, Domain, FormQuestion, ReadMark, Workspace

FOLDER = Path(__file__).parent
SOURCE = "Sample"
_REASON = "Sample"
# How long a buyer takes, in the sample, to decide.
_DECISION = timedelta(days=30)

_GOVERNED = (
    "governance_review_status",
    "content_changed_at",
    "created_at",
    "reviewed_at",
    "reviewed_by",
    "verified_at",
    "verified_by",
    "verification_note",
    "next_review_date",
    "owner",
    "superseded_by",
    "superseded_reason",
    "archived_at",
)


@dataclass(frozen=True)
class Loaded:
    """How many of each were created."""

    items: int
    domains: int
    people: int
    bids: int

    def __bool__(self) -> bool:
        return any(astuple(self))


def load(now: datetime) -> Loaded:
    """Load what is missing, all or nothing. `Conflict` if an item is refused."""
    sample = yaml.safe_load((FOLDER / "sample.yaml").read_text(encoding="utf-8"))
    viewer = Viewer.system()
    with transaction.atomic():
        people = _add_people(sample["people"])
        users = {user.username: user for user in User.objects.all()}
        domains = _add_domains(viewer, sample["domains"], users)
        items, new = _add_items(viewer, now)
        govern(viewer, items, new, sample["governance"], users, now)
        bids = sum(_add_bid(viewer, bid, items, now) for bid in sample["bids"])
        _add_reads(sample["reads"], items, users, now)
        scores.rescore([items[slug].pk for slug in new], now.date())
    return Loaded(items=len(new), domains=domains, people=people, bids=bids)


def govern(
    viewer: Viewer,
    items: Mapping[str, ContentItem],
    new: set[str],
    states: Mapping[str, Mapping[str, Any]],
    users: Mapping[str, User],
    now: datetime,
) -> None:
    """Give the `new` items (by slug) the past that the sample says they have."""
    changed = []
    for slug in sorted(new & states.keys()):
        item, state = items[slug], states[slug]
        _set_dates(item, state, now)
        _set_people(item, state, users)
        item.governance_review_status = state["state"]
        if successor := state.get("superseded_by"):
            item.superseded_by = items[successor]
            item.superseded_reason = state.get("superseded_reason", "")
        changed.append(item)
    history.update(viewer, changed, _GOVERNED, _REASON)


def _set_dates(item: ContentItem, state: Mapping[str, Any], now: datetime) -> None:
    def ago(name: str) -> datetime | None:
        days = state.get(name)
        return None if days is None else now - timedelta(days=days)

    item.content_changed_at = ago("changed_days_ago") or now
    item.created_at = item.content_changed_at
    item.reviewed_at = ago("reviewed_days_ago")
    item.verified_at = ago("verified_days_ago")
    item.archived_at = ago("archived_days_ago")
    if "due_in_days" in state:
        item.next_review_date = (now + timedelta(days=state["due_in_days"])).date()
    else:
        last = item.reviewed_at or item.content_changed_at
        item.next_review_date = next_review_date(item, last.date())


def _set_people(
    item: ContentItem, state: Mapping[str, Any], users: Mapping[str, User]
) -> None:
    domain = item.primary_domain
    item.owner = users.get(state.get("owner", ""))
    if item.verified_at:
        item.verified_by = users[state["verified_by"]]
        item.verification_note = state.get("verification_note", "")
    if item.reviewed_at:
        reviewer = item.verified_by or item.owner or (domain.owner if domain else None)
        item.reviewed_by = reviewer


def _add_people(people: list[dict[str, Any]]) -> int:
    """Nobody can sign in as one of them: they have no password."""
    known = set(User.objects.values_list("username", flat=True))
    missing = [person for person in people if person["username"] not in known]
    for person in missing:
        first, _, last = person["name"].partition(" ")
        User.objects.create_user(
            person["username"],
            first_name=first,
            last_name=last,
            role=Role(person["role"]),
            primary_focus=person.get("focus") or "",
        )
    return len(missing)


def _add_domains(
    viewer: Viewer, domains: list[dict[str, Any]], users: Mapping[str, User]
) -> int:
    known = set(Domain.objects.values_list("name", flat=True))
    missing = [
        Domain(**{**domain, "owner": users[domain["owner"]]})
        for domain in domains
        if domain["name"] not in known
    ]
    return len(history.create(viewer, missing, _REASON))


def _add_items(
    viewer: Viewer, now: datetime
) -> tuple[dict[str, ContentItem], set[str]]:
    """All items by slug, and the slugs of those that are new."""
    report = import_files(viewer, [FOLDER / "items"], Options(source=SOURCE), now)
    if report.problems:
        raise Conflict(f"The sample cannot be loaded: {report.problems[0]}")
    slugs = {each.item_id: Path(each.path).stem for each in report.outcomes}
    new = {
        Path(each.path).stem for each in report.outcomes if each.action == Action.CREATE
    }
    stored = ContentItem.objects.select_related("primary_domain__owner")
    found = stored.filter(pk__in=[pk for pk in slugs if pk])
    return {slugs[item.pk]: item for item in found}, new


def _add_bid(
    viewer: Viewer,
    bid: Mapping[str, Any],
    items: Mapping[str, ContentItem],
    now: datetime,
) -> bool:
    if Workspace.objects.filter(name=bid["name"]).exists():
        return False
    today, status = now.date(), BidStatus(bid["status"])
    due = today + timedelta(days=bid["due_in_days"])
    decided = status in (BidStatus.WON, BidStatus.LOST)
    workspace = Workspace(
        name=bid["name"],
        client=bid["client"],
        status=status,
        due_date=due,
        decided_on=min(due + _DECISION, today) if decided else None,
    )
    open_bid(viewer, workspace, today)
    for item_id in _ids(bid, items):
        cite(viewer, item_id, workspace=workspace, as_is=True)
    for position, question in enumerate(bid["questions"], start=1):
        _add_question(viewer, workspace, position, question, items, now)
    return True


def _add_question(
    viewer: Viewer,
    bid: Workspace,
    position: int,
    question: Mapping[str, Any],
    items: Mapping[str, ContentItem],
    now: datetime,
) -> None:
    """What is cited for a question without an answer yet is cited by the bid."""
    asked = FormQuestion(workspace=bid, position=position, text=question["text"])
    save_question(viewer, asked)
    text = (question.get("answer") or "").strip()
    response = answer(viewer, asked, text, now) if text else None
    for item_id in _ids(question, items):
        if response:
            cite(viewer, item_id, response=response, as_is=True)
        else:
            cite(viewer, item_id, workspace=bid, as_is=True)


def _ids(entry: Mapping[str, Any], items: Mapping[str, ContentItem]) -> Iterator[UUID]:
    return (items[slug].pk for slug in entry.get("cites") or ())


def _add_reads(
    reads: Mapping[str, list[str]],
    items: Mapping[str, ContentItem],
    users: Mapping[str, User],
    now: datetime,
) -> None:
    known = set(ReadMark.objects.values_list("user_id", "item_id"))
    for username, slugs in reads.items():
        user = users[username]
        for slug in slugs:
            if (user.pk, items[slug].pk) not in known:
                mark_read(user.viewer(), items[slug].pk, now)
