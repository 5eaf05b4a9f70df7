"""What failures, patterns and pathways have beyond their entity."""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest

from accounts.admin_pages import HistoryPages, viewer_of
from operational.admin.base import RowsInline
from operational.domain import confidence, editing
from operational.enums import EntityType, RelationKind
from operational.models import (
    Failure,
    FailurePoint,
    Pathway,
    PathwayStep,
    Pattern,
    Relationship,
    Symptom,
)

_KEYS = ("type", "path", "descriptor")


class FailureForm(forms.ModelForm[Failure]):
    def clean_evidence(self) -> list[dict[str, str]]:
        rows = self.cleaned_data["evidence"] or []
        if not isinstance(rows, list) or not all(
            isinstance(row, dict)
            and set(row) <= set(_KEYS)
            and all(isinstance(value, str) for value in row.values())
            for row in rows
        ):
            raise forms.ValidationError(
                "A list of objects with the texts type, path and descriptor."
            )
        return [{key: row.get(key, "") for key in _KEYS} for row in rows]


class SymptomInline(RowsInline, admin.TabularInline[Symptom, Failure]):
    model = Symptom
    fields = ("text", "template")
    readonly_fields = ("template",)
    verbose_name = "recorded message"


class PartPages(HistoryPages):
    """The entity makes its details; they are changed here."""

    list_select_related = ("entity",)
    search_fields = ("entity__title", "entity__slug")
    ordering = ("entity__slug",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def save_model(
        self, request: HttpRequest, obj: Any, form: Any, change: bool
    ) -> None:
        editing.save_part(viewer_of(request), obj)


@admin.register(Failure)
class FailureAdmin(PartPages):
    form = FailureForm
    fields = (
        "entity",
        "failure_type",
        ("severity", "recovery_complexity", "estimated_resolution"),
        "verified_fix",
        "fix_state",
        ("instance_count", "last_occurrence"),
        "pattern",
        "prevention_steps",
        "evidence",
        "confidence",
    )
    readonly_fields = ("entity", "confidence")
    autocomplete_fields = ("pattern",)
    list_display = (
        "entity",
        "failure_type",
        "severity",
        "fix_state",
        "instance_count",
        "last_occurrence",
        "confidence_score",
    )
    list_filter = ("severity", "fix_state", "recovery_complexity")
    inlines = (SymptomInline,)

    @admin.display(description="confidence")
    def confidence(self, obj: Failure) -> str:
        """The score and what it is made of."""
        playbook = Relationship.objects.filter(
            target=obj.entity_id,
            kind=RelationKind.RESOLVES,
            source__type=EntityType.PLAYBOOK,
            source__archived_at=None,
        ).exists()
        parts = confidence.explain(confidence.documented(obj, playbook=playbook))
        said = (f"{p.label}: {p.points if p.met else 0} of {p.points}" for p in parts)
        return f"{obj.confidence_score}\n" + "\n".join(said)

    def save_formset(
        self, request: HttpRequest, form: Any, formset: Any, change: bool
    ) -> None:
        if not formset.has_changed():
            formset.save(commit=False)
            return
        formset.save(commit=False)
        rows = [each.cleaned_data for each in formset.forms if each.cleaned_data]
        texts = [row["text"] for row in rows if row.get("text") and not row["DELETE"]]
        editing.set_symptoms(viewer_of(request), form.instance, texts)


@admin.register(Pattern)
class PatternAdmin(PartPages):
    fields = ("entity", "keywords", "prevention_checklist")
    readonly_fields = ("entity",)
    list_display = ("entity", "keywords")


class StepInline(RowsInline, admin.StackedInline[PathwayStep, Pathway]):
    model = PathwayStep
    fields = (
        ("position", "estimated_time"),
        "description",
        "lesson",
        "success_criteria",
    )
    autocomplete_fields = ("lesson",)


class PointInline(RowsInline, admin.TabularInline[FailurePoint, Pathway]):
    model = FailurePoint
    fields = ("failure", "likely_at", "preventing_pattern")
    autocomplete_fields = ("failure", "preventing_pattern")


@admin.register(Pathway)
class PathwayAdmin(PartPages):
    fields = ("entity", "estimated_time")
    readonly_fields = ("entity",)
    list_display = ("entity", "estimated_time")
    inlines = (StepInline, PointInline)

    def save_formset(
        self, request: HttpRequest, form: Any, formset: Any, change: bool
    ) -> None:
        viewer = viewer_of(request)
        for row in formset.save(commit=False):
            editing.save_row(viewer, row)
        for row in formset.deleted_objects:
            editing.remove_row(viewer, row)
