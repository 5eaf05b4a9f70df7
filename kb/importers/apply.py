"""Carries out the decisions of a batch through the domain. One bad item does not stop
the others."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import DatabaseError, transaction

from accounts.viewer import Viewer
from core.errors import HubError
from kb.domain.domains import ensure_domains
from kb.domain.lifecycle import create_items, edit_item
from kb.importers.base import ImportProblem, Options
from kb.importers.plan import Action, Decision, domain_of
from kb.models import ContentItem, Domain

# Classes of SQLSTATE: bad data, a constraint, a limit such as the size of an index row.
_ITEMS_FAULT = ("22", "23", "54")


class Applier:
    """Writes for one run. `ids` and `problems` are by source path."""

    def __init__(self, viewer: Viewer, options: Options, now: datetime) -> None:
        self.viewer, self.options, self.now = viewer, options, now
        self.domains: dict[str, Domain] = {}
        self.ids: dict[str, UUID] = {}
        self.problems: dict[str, ImportProblem] = {}

    def apply(self, decisions: Sequence[Decision]) -> None:
        new = [each for each in decisions if each.action == Action.CREATE]
        old = [each for each in decisions if each.action == Action.CHANGE]
        names = {domain_of(each.draft, self.options) for each in new}
        names |= {each.draft.domain for each in old}
        if missing := names - self.domains.keys() - {""}:
            made = ensure_domains(self.viewer, missing, "Import")
            self.domains |= made
        self._create(new)
        for decision in old:
            if decision.item_id:
                self._change(decision, decision.item_id)

    def _create(self, decisions: Sequence[Decision]) -> None:
        if not decisions:
            return
        try:
            with transaction.atomic():
                items = [self._item(each) for each in decisions]
                create_items(self.viewer, items, self.now, "Import")
        except (HubError, DatabaseError, ValueError) as error:
            _reraise_outage(error)
            # All together or, where one is refused, one by one to find which.
            if len(decisions) > 1:
                for decision in decisions:
                    self._create([decision])
                return
            self._refuse(decisions[0], error)
            return
        for decision, item in zip(decisions, items, strict=True):
            self.ids[decision.draft.source_path] = item.pk

    def _change(self, decision: Decision, item_id: UUID) -> None:
        draft = decision.draft
        changes: dict[str, Any] = {
            **draft.values,
            "source_hash": draft.source_hash,
            "summary_data": dict(decision.summary_data or {}),
        }
        if draft.domain:
            changes["primary_domain"] = self.domains[draft.domain]
        try:
            edit_item(self.viewer, item_id, changes, self.now, reason="Import")
        except (HubError, DatabaseError, ValueError) as error:
            _reraise_outage(error)
            self._refuse(decision, error)

    def _item(self, decision: Decision) -> ContentItem:
        draft = decision.draft
        values: dict[str, Any] = {
            "source": self.options.source,
            "governance_review_status": self.options.state,
            **draft.once,
            **draft.values,
        }
        return ContentItem(
            **values,
            source_path=draft.source_path,
            source_hash=draft.source_hash,
            primary_domain=self.domains.get(domain_of(draft, self.options)),
            owner_id=decision.owner_id,
            summary_data=dict(decision.summary_data or {}),
        )

    def _refuse(self, decision: Decision, error: Exception) -> None:
        path = decision.draft.source_path
        reason = error.message if isinstance(error, HubError) else _first_line(error)
        self.problems[path] = ImportProblem(path, reason)


def _reraise_outage(error: Exception) -> None:
    """A database that fails is no fault of the item."""
    state = getattr(error.__cause__, "sqlstate", None) or ""
    if isinstance(error, DatabaseError) and not state.startswith(_ITEMS_FAULT):
        raise error


def _first_line(error: Exception) -> str:
    line = str(error).strip().partition("\n")[0]
    return f"The database refused it: {line[:200]}."
