"""What an import would do with drafts, given what is stored. Writes nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from uuid import UUID

from accounts.models import User
from core.errors import BadInput
from core.text import fold
from kb.importers.base import Draft, ImportProblem, Options
from kb.models import ContentItem


class Action(StrEnum):
    CREATE = "create"
    CHANGE = "change"
    SKIP = "skip"


@dataclass(frozen=True)
class Decision:
    action: Action
    draft: Draft
    item_id: UUID | None = None
    owner_id: int | None = None
    notices: tuple[str, ...] = ()
    summary_data: Mapping[str, Any] | None = None


def plan(drafts: Sequence[Draft]) -> list[Decision | ImportProblem]:
    """One decision a draft, in order. An item is known again by its source path."""
    stored = _stored([draft.source_path for draft in drafts])
    owners = _owners({draft.owner for draft in drafts if draft.owner})
    return [_decide(draft, stored.get(draft.source_path), owners) for draft in drafts]


def domain_of(draft: Draft, options: Options) -> str:
    """Of a new item: what the file says, else the option, else its folder."""
    return draft.domain or options.domain or draft.folder


def _decide(
    draft: Draft, item: ContentItem | None, owners: Mapping[str, int]
) -> Decision | ImportProblem:
    if item is not None and item.archived_at:
        notice = "This item is archived in the hub and was left as it is."
        return Decision(Action.SKIP, draft, item.pk, notices=(notice,))
    if item is not None and item.source_hash == draft.source_hash:
        return Decision(Action.SKIP, draft, item.pk)
    if item is not None:
        return Decision(
            Action.CHANGE,
            draft,
            item.pk,
            notices=draft.notices,
            summary_data=_summary_data(draft, item.summary_data),
        )
    owner_id = owners.get(fold(draft.owner))
    if draft.owner and owner_id is None:
        names = User.objects.filter(is_active=True).values_list("username", flat=True)
        problem = BadInput.unknown("owner", draft.owner, names)
        return ImportProblem(draft.source_path, problem.message)
    return Decision(
        Action.CREATE,
        draft,
        owner_id=owner_id,
        notices=draft.notices,
        summary_data=_summary_data(draft, {}),
    )


def _summary_data(draft: Draft, stored: Mapping[str, Any]) -> dict[str, Any]:
    """Keys that the hub has no field for are kept under "imported"."""
    kept = {key: value for key, value in stored.items() if key != "imported"}
    return {**kept, "imported": dict(draft.extra)} if draft.extra else kept


def _stored(paths: Sequence[str]) -> dict[str, ContentItem]:
    items = ContentItem.objects.filter(source_path__in=paths).only(
        "source_path", "source_hash", "archived_at", "summary_data"
    )
    return {item.source_path: item for item in items.order_by("-created_at")}


def _owners(names: set[str]) -> dict[str, int]:
    if not names:
        return {}
    users = User.objects.filter(username__in=names, is_active=True)
    return {fold(name): pk for pk, name in users.values_list("pk", "username")}
