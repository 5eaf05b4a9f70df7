"""Filters of the item list. A value that none of them knows is refused."""

from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from accounts.admin_pages import viewer_of
from core.errors import BadInput
from kb.domain.due import due_within, overdue
from kb.domain.governance import answered_for
from kb.domain.ownership import owned_by
from kb.embedding import missing, recipe
from kb.models import ContentItem

Items = QuerySet[ContentItem]


class Choice(admin.SimpleListFilter):
    """A fixed set of choices, each a condition."""

    options: dict[str, str]

    def lookups(
        self, request: HttpRequest, model_admin: Any
    ) -> Iterable[tuple[str, str]]:
        return self.options.items()

    def queryset(self, request: HttpRequest, queryset: Items) -> Items:
        value = self.value()
        if value is None:
            return queryset
        if value not in self.options:
            raise IncorrectLookupParameters
        return queryset.filter(self.condition(value))

    def condition(self, value: str) -> Q:
        raise NotImplementedError


class DueFilter(Choice):
    title = "review due"
    parameter_name = "due"
    options = {
        "overdue": "Overdue",
        "30": "Within 30 days",
        "60": "Within 60 days",
        "90": "Within 90 days",
        "none": "No date set",
    }

    def condition(self, value: str) -> Q:
        today = timezone.now().date()
        if value == "none":
            return Q(next_review_date=None)
        if value == "overdue":
            return overdue(today)
        return due_within(today, int(value))


class QualityFilter(Choice):
    title = "quality"
    parameter_name = "quality"
    bounds = {"low": (0, 39), "fair": (40, 59), "good": (60, 79), "high": (80, 100)}
    options = {
        name: f"{name.capitalize()} ({low}–{high})"
        for name, (low, high) in bounds.items()
    }

    def condition(self, value: str) -> Q:
        return Q(quality_score__range=self.bounds[value])


class ArchivedFilter(Choice):
    """Live items unless asked otherwise."""

    title = "archived"
    parameter_name = "archived"
    options = {"yes": "Archived", "all": "All"}

    def choices(self, changelist: Any) -> Any:
        first, *others = super().choices(changelist)
        return [{**first, "display": "Live"}, *others]

    def queryset(self, request: HttpRequest, queryset: Items) -> Items:
        if self.value() is None:
            return queryset.filter(archived_at=None)
        return super().queryset(request, queryset)

    def condition(self, value: str) -> Q:
        return Q(archived_at__isnull=False) if value == "yes" else Q()


class OwnedFilter(Choice):
    title = "ownership"
    parameter_name = "owned"
    options = {"person": "A person", "group": "A group", "none": "Nobody"}

    def condition(self, value: str) -> Q:
        return {
            "person": Q(owner__isnull=False),
            "group": Q(owner_group__isnull=False),
            "none": Q(owner=None, owner_group=None),
        }[value]


class AnswersFilter(admin.SimpleListFilter):
    """Whose items they are, their domain's owner's where they have none: the ways in
    from the dashboard."""

    title = "who answers"
    parameter_name = "answers"

    def lookups(
        self, request: HttpRequest, model_admin: Any
    ) -> Iterable[tuple[str, str]]:
        chosen = request.GET.get(self.parameter_name, "")
        known = {"me": "Me or my groups", "none": "Nobody, nor for the domain"}
        return [
            *known.items(),
            *([(chosen, "As chosen")] if chosen[-1:].isdigit() else []),
        ]

    def queryset(self, request: HttpRequest, queryset: Items) -> Items:
        value = self.value()
        if value is None:
            return queryset
        if value == "me":
            return queryset.filter(owned_by(viewer_of(request)))
        try:
            return queryset.filter(answered_for(value))
        except BadInput as error:
            raise IncorrectLookupParameters from error


class EmbeddingFilter(Choice):
    title = "embedding"
    parameter_name = "embedding"
    options = {
        "missing": "Missing",
        "waiting": "To be embedded (anew)",
        "refused": "Refused by the model",
        "current": "Current",
    }

    def condition(self, value: str) -> Q:
        waiting = Q(pk__in=missing().values("pk"))
        vector = Q(index__recipe=recipe().name, index__embedding__isnull=False)
        return {
            "missing": ~vector,
            "waiting": waiting,
            "refused": ~vector & ~waiting,
            "current": vector & ~waiting,
        }[value]
