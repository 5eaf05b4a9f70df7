"""Bulk actions of admin: shown and confirmed first, permission-checked, one call.

A room describes each action as data (`Bulk`) and lists `action(bulk)` in `actions`.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin import helpers
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from core.errors import HubError

# More at once would outlast a web request; narrow the filter and repeat.
MAX_SELECTED = 5_000
SHOWN = 10

Run = Callable[[HttpRequest, list[Any], dict[str, Any]], int]
Action = Callable[[Any, HttpRequest, QuerySet[Any]], HttpResponse | None]


@dataclass(frozen=True)
class Bulk:
    """`run` gets the request, the selected ids and the form's data, calls one domain
    function and returns how many it changed; `done` says so, after the number."""

    name: str
    label: str
    run: Run
    done: str
    explanation: str = ""
    form: type[forms.Form] = forms.Form
    # Of the model's admin; what one may do to each row, the domain checks.
    permission: str = "change"


def action(bulk: Bulk) -> Action:
    def perform(
        model_admin: Any, request: HttpRequest, queryset: QuerySet[Any]
    ) -> HttpResponse | None:
        ids = list(queryset.order_by("pk").values_list("pk", flat=True))
        if not 0 < len(ids) <= MAX_SELECTED:
            text = f"{len(ids)} selected. Select 1 to {MAX_SELECTED}; nothing was done."
            model_admin.message_user(request, text, messages.WARNING)
            return None
        posted = request.POST if "selection" in request.POST else None
        form = bulk.form(posted, prefix="bulk")
        if _confirmed(form, ids) and _done(bulk, model_admin, request, ids, form):
            return None
        context = _context(bulk, model_admin, request, queryset, ids, form)
        return TemplateResponse(request, "admin/confirm_bulk.html", context)

    perform.__name__ = bulk.name
    return admin.action(description=bulk.label, permissions=[bulk.permission])(perform)


def _confirmed(form: forms.Form, ids: Sequence[Any]) -> bool:
    """Whether what was confirmed is valid and still the same selection."""
    if not form.is_valid():
        return False
    if form.data.get("selection") != fingerprint(ids):
        form.add_error(None, "The selection has changed meanwhile. Look at it again.")
        return False
    return True


def _done(
    bulk: Bulk, model_admin: Any, request: HttpRequest, ids: list[Any], form: forms.Form
) -> bool:
    try:
        count = bulk.run(request, ids, form.cleaned_data)
    except HubError as error:
        form.add_error(None, error.message)
        return False
    model_admin.message_user(request, f"{count} {bulk.done}.", messages.SUCCESS)
    return True


def fingerprint(ids: Sequence[Any]) -> str:
    return hashlib.sha256(",".join(map(str, ids)).encode()).hexdigest()


def _context(
    bulk: Bulk,
    model_admin: Any,
    request: HttpRequest,
    queryset: QuerySet[Any],
    ids: list[Any],
    form: forms.Form,
) -> dict[str, Any]:
    across = request.POST.get("select_across") == "1"
    return {
        **model_admin.admin_site.each_context(request),
        "title": bulk.label,
        "bulk": bulk,
        "form": form,
        "media": form.media,
        "opts": model_admin.opts,
        "count": len(ids),
        "first": list(queryset.order_by("pk")[:SHOWN]),
        "more": max(len(ids) - SHOWN, 0),
        # With "select all" the filter in the address selects again.
        "carried": ids[:1] if across else ids,
        "across": across,
        "checkbox": helpers.ACTION_CHECKBOX_NAME,
        "selection": fingerprint(ids),
    }
