"""Writing an item on its page: what the form holds, and what saving it does.

The form carries the version it was made of (`version`, a number in the item's history)
and the waiting edit it went on from (`builds_on`). Only what somebody changed is saved,
so two people who change different fields lose nothing; who changes the same one is
shown both before anything is written over.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from accounts.enums import Role
from accounts.models import User
from accounts.viewer import Viewer
from browse import questions
from browse.models import Question
from core.errors import BadInput, Conflict, NotFound
from core.text import clean
from kb.domain.lifecycle import create_items
from kb.domain.moderation import (
    Edit,
    needs_approval,
    propose_edit,
    waiting_revision,
)
from kb.domain.ownership import approvers
from kb.domain.proposals import labels, stored
from kb.enums import ContentType, Moderation, ReviewStatus
from kb.models import ContentItem, Domain, Revision

TEXTS = (
    "title",
    "content",
    "content_type",
    "summary",
    "subtopic",
    "author_name",
    "layer",
    "source",
    "platform",
)
FIELDS = (*TEXTS, "ai_keywords", "primary_domain", "owner")
_EMPTY: dict[str, Any] = dict.fromkeys(FIELDS, "") | {
    "content_type": ContentType.ARTICLE.value,
    "ai_keywords": [],
    "primary_domain": None,
    "owner": None,
}


@dataclass(frozen=True)
class Form:
    """`values` as JSON holds them: keys for rows, a list for keywords. `note` goes to
    who approves the edit."""

    values: Mapping[str, Any]
    version: int = 0
    builds_on: int | None = None
    note: str = ""

    @property
    def keywords(self) -> str:
        return ", ".join(self.values["ai_keywords"])


@dataclass(frozen=True)
class Clash:
    """Somebody else changed `fields` meanwhile; `form` is the writer's text on top of
    the newest version, so that saving it again is a decision."""

    form: Form
    fields: Sequence[str]
    theirs: ContentItem

    @property
    def labels(self) -> str:
        return labels(self.fields)


@dataclass(frozen=True)
class Editor:
    """What the page of the form needs besides it."""

    item: ContentItem | None
    form: Form
    waiting: Revision | None = None
    waits_for: str = ""
    clash: Clash | None = None
    error: BadInput | None = None
    domains: Sequence[tuple[int, str]] = field(default_factory=list)
    owners: Sequence[tuple[int, str]] = field(default_factory=list)

    @property
    def hides(self) -> bool:
        """Whether the item leaves search while the edit waits."""
        domain = self.item.primary_domain if self.item else None
        return bool(domain and domain.moderation == Moderation.HIDE)

    @property
    def is_question(self) -> bool:
        return bool(self.form.values["content_type"] == ContentType.QA_PAIR)

    @property
    def types(self) -> list[tuple[str, str]]:
        return list(ContentType.choices)


def read(post: Mapping[str, str]) -> Form:
    """What was sent; `BadInput` only for what no form of ours sends."""
    values: dict[str, Any] = {name: _text(post, name) for name in TEXTS}
    values["title"] = " ".join(values["title"].split())
    words = (each.strip() for each in _text(post, "ai_keywords").split(","))
    values["ai_keywords"] = list(dict.fromkeys(each for each in words if each))
    for name in ("primary_domain", "owner"):
        values[name] = _number(post, name)
    return Form(
        values,
        _number(post, "version") or 0,
        _number(post, "builds_on"),
        _text(post, "note")[:500],
    )


def opened(viewer: Viewer, item_id: UUID) -> tuple[ContentItem, Form, Revision | None]:
    """The item as it is, or as the edit that waits would have it."""
    item = visible(viewer, item_id)
    waiting = waiting_revision(item)
    values = stored(item, FIELDS)
    if waiting is not None:
        values |= {name: waiting.changes[name] for name in waiting.changes}
    builds_on = waiting.pk if waiting else None
    return item, Form(values, _newest(item), builds_on), waiting


def visible(viewer: Viewer, item_id: UUID) -> ContentItem:
    viewer.require_editor()
    items = ContentItem.objects.visible_to(viewer).select_related(
        "primary_domain", "owner", "owner_group"
    )
    item = items.filter(pk=item_id).first()
    if item is None:
        raise NotFound("This item does not exist, or you may not see it.")
    return item


def create(
    viewer: Viewer, form: Form, now: datetime, question: Question | None = None
) -> ContentItem:
    """A new item, in review: somebody else looks before it counts as approved. A
    question that it answers is closed with it."""
    viewer.require_editor()
    item = ContentItem(
        **_rows(form.values), governance_review_status=ReviewStatus.IN_REVIEW
    )
    with transaction.atomic():
        made = create_items(viewer, [item], now, "Written in the library")[0]
        if question is not None and question.closed_at is None:
            questions.answer(viewer, question.pk, made.pk, now)
    return made


def save(viewer: Viewer, item_id: UUID, form: Form, now: datetime) -> Edit | Clash:
    """Save what was changed since the form was made, or have it wait for approval."""
    item = visible(viewer, item_id)
    newest = _newest(item)
    current = stored(item, FIELDS)
    shown = _shown(item, form, current)
    edits = {n: form.values[n] for n in FIELDS if not _same(form.values[n], shown[n])}
    both = [
        name
        for name in edits
        if not _same(current[name], _base(item, form, current)[name])
        and not _same(current[name], edits[name])
    ]
    if both:
        return _clash(item, newest, current | edits, both)
    try:
        return propose_edit(
            viewer,
            item_id,
            _rows(edits),
            now,
            read_at=item.updated_at,
            builds_on=form.builds_on,
            note=form.note,
        )
    except Conflict as conflict:
        return _overtaken(viewer, item_id, edits, conflict)


def editor(
    viewer: Viewer, item: ContentItem | None, form: Form, **shown: Any
) -> Editor:
    """Two queries for the menus."""
    owner = form.values["owner"]
    people = User.objects.filter(is_active=True, role__in=(Role.EDITOR, Role.ADMIN))
    owners = {person.pk: person.display_name() for person in people}
    if owner and owner not in owners:
        former = User.objects.filter(pk=owner).first()
        owners |= {owner: former.display_name()} if former else {}
    waits = item is not None and needs_approval(viewer, item)
    return Editor(
        item,
        form,
        waits_for=approvers(item) if item and waits else "",
        domains=list(Domain.objects.values_list("pk", "name")),
        owners=sorted(owners.items(), key=lambda pair: pair[1].casefold()),
        **shown,
    )


def blank() -> Form:
    return Form(_EMPTY)


def _overtaken(
    viewer: Viewer, item_id: UUID, edits: Mapping[str, Any], conflict: Conflict
) -> Clash:
    """The item, or the edit that waits, was changed while this one was saved."""
    item = visible(viewer, item_id)
    waiting = waiting_revision(item)
    changes = waiting.changes if waiting else {}
    fields = [n for n in edits if n in changes] or [conflict.field or "content"]
    values = {**stored(item, FIELDS), **changes, **edits}
    form = Form(values, _newest(item), waiting.pk if waiting else None)
    return Clash(form, fields, _with(item, changes))


def _clash(
    item: ContentItem, newest: int, values: Mapping[str, Any], fields: Sequence[str]
) -> Clash:
    return Clash(Form(values, newest), fields, item)


def _shown(item: ContentItem, form: Form, current: Mapping[str, Any]) -> dict[str, Any]:
    """What the writer began with."""
    values = _base(item, form, current)
    if form.builds_on is not None:
        waiting = item.revisions.filter(pk=form.builds_on).first()
        values |= waiting.changes if waiting else {}
    return values


def _base(item: ContentItem, form: Form, current: Mapping[str, Any]) -> dict[str, Any]:
    """The item when the form was made; as it is, where that is not known any more."""
    record = item.history.filter(history_id=form.version).first()
    if record is None:
        return dict(current)
    return {
        name: getattr(record, f"{name}_id" if name in _ROWS else name)
        for name in FIELDS
    }


_ROWS: dict[str, Any] = {"primary_domain": Domain, "owner": User}


def _newest(item: ContentItem) -> int:
    numbers = item.history.order_by("-history_id").values_list("history_id", flat=True)
    return int(numbers.first() or 0)


def _rows(values: Mapping[str, Any]) -> dict[str, Any]:
    """With the rows themselves instead of their keys."""
    found = dict(values)
    for name, model in _ROWS.items():
        key = values.get(name)
        if key is not None:
            found[name] = model.objects.filter(pk=key).first()
            if found[name] is None:
                raise BadInput("Choose one from the list.", field=name)
    if found.get("owner") is not None:
        found["owner_group"] = None  # a person or a group, not both
    return found


def _with(item: ContentItem, changes: Mapping[str, Any]) -> ContentItem:
    for name in changes:
        if name in TEXTS or name == "ai_keywords":
            setattr(item, name, changes[name])
    return item


def _same(one: Any, other: Any) -> bool:
    """Browsers send line ends their own way."""
    if isinstance(one, str) and isinstance(other, str):
        return one.replace("\r\n", "\n").strip() == other.replace("\r\n", "\n").strip()
    return bool(one == other)


def _text(post: Mapping[str, str], name: str) -> str:
    return clean(post.get(name, "")).replace("\r\n", "\n").strip()


def _number(post: Mapping[str, str], name: str) -> int | None:
    text = post.get(name, "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise BadInput("Choose one from the list.", field=name)
    return int(text)
