"""Bids with their questions and answers, and what they cite."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from accounts.admin_pages import HistoryPages, viewer_of
from core.admin_site import HubPages
from core.errors import BadInput
from kb.admin.base import ShownInline, changed
from kb.admin.inlines import source_of, with_sources
from kb.domain import bids, responses
from kb.domain.citations import cite
from kb.models import Citation, FormQuestion, FormResponse, Workspace


class QuestionForm(forms.ModelForm[FormQuestion]):
    """A question together with the answer written to it."""

    answer = forms.CharField(
        required=False,
        help_text="Markdown",
        widget=forms.Textarea(attrs={"rows": 6, "cols": 80}),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "position" in self.fields:
            self.fields["position"].required = False
        if "answer" in self.fields and not self.instance._state.adding:
            written = getattr(self.instance, "response", None)
            self.fields["answer"].initial = written.text if written else ""

    def store(self, request: HttpRequest) -> None:
        viewer = viewer_of(request)
        names = {"position", "section", "text", "word_limit", "workspace"}
        if self.instance._state.adding or names & set(self.changed_data):
            bids.save_question(viewer, self.instance)
        if "answer" in self.changed_data:
            text = self.cleaned_data["answer"]
            responses.answer(viewer, self.instance, text, timezone.now())


class QuestionInline(admin.StackedInline[FormQuestion, Workspace]):
    model = FormQuestion
    form = QuestionForm
    extra = 1
    can_delete = False
    show_change_link = True
    fields = (("position", "section", "word_limit"), "text", "answer")

    def get_queryset(self, request: HttpRequest) -> QuerySet[FormQuestion]:
        return super().get_queryset(request).select_related("response", "workspace")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class CitedInline(ShownInline):
    model = Citation
    fk_name = "workspace"
    verbose_name_plural = "items cited by this bid"
    fields = ("item", "created_by", "created_at")
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).select_related("item", "created_by")


@admin.register(Workspace)
class WorkspaceAdmin(HistoryPages):
    fields = ("name", "client", "due_date", "status", "decided_on", "created_by")
    readonly_fields = ("decided_on", "created_by")
    list_display = ("name", "client", "status", "due_date", "decided_on", "created_at")
    list_filter = ("status", "due_date")
    search_fields = ("name", "client")
    inlines = (QuestionInline, CitedInline)

    def save_model(
        self, request: HttpRequest, obj: Any, form: Any, change: bool
    ) -> None:
        viewer, today = viewer_of(request), timezone.now().date()
        if not change:
            bids.open_bid(viewer, obj, today)
            return
        bids.edit_bid(viewer, obj.pk, changed(obj, bids.EDITABLE, form), today)

    def save_formset(
        self, request: HttpRequest, form: Any, formset: Any, change: bool
    ) -> None:
        formset.save(commit=False)
        for each in formset.forms:
            if isinstance(each, QuestionForm) and each.has_changed():
                each.store(request)


@admin.register(FormQuestion)
class FormQuestionAdmin(HubPages):
    form = QuestionForm
    fields = ("workspace", "position", "section", "text", "word_limit", "answer")
    autocomplete_fields = ("workspace",)
    list_display = ("text", "workspace", "position", "section", "word_limit")
    list_select_related = ("workspace",)
    list_filter = ("workspace__status",)
    search_fields = ("text", "section", "workspace__name")

    def save_model(
        self, request: HttpRequest, obj: Any, form: Any, change: bool
    ) -> None:
        form.store(request)


@admin.register(FormResponse)
class FormResponseAdmin(HistoryPages):
    """Answers begin at their question; here they are found, changed and traced."""

    fields = ("question", "text", "author", "updated_at")
    readonly_fields = ("question", "author", "updated_at")
    list_display = ("text_start", "question", "author", "updated_at")
    list_select_related = ("question", "author")
    ordering = ("-updated_at", "pk")
    search_fields = ("text", "question__text")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    @admin.display(description="answer")
    def text_start(self, obj: FormResponse) -> str:
        return str(obj) or "(empty)"

    def save_model(
        self, request: HttpRequest, obj: Any, form: Any, change: bool
    ) -> None:
        responses.answer(viewer_of(request), obj.question, obj.text, timezone.now())


class CitationForm(forms.ModelForm[Citation]):
    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        sources = (cleaned.get(n) for n in ("workspace", "response", "citing_item"))
        if [bool(each) for each in sources].count(True) != 1:
            # On a field, so that the database's constraint need not say it again.
            self.add_error(
                "workspace", "Choose exactly one: a bid, an answer or another item."
            )
        return cleaned


@admin.register(Citation)
class CitationAdmin(HubPages):
    """Added and kept; a citation is never rewritten."""

    form = CitationForm
    fields = (
        "item",
        "workspace",
        "response",
        "citing_item",
        "created_by",
        "created_at",
    )
    readonly_fields = ("created_by", "created_at")
    autocomplete_fields = ("item", "workspace", "response", "citing_item")
    list_display = ("item", "cited_by", "created_by", "created_at")
    search_fields = ("item__title", "workspace__name", "citing_item__title")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return with_sources(super().get_queryset(request)).select_related("item")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.display(description="cited by")
    def cited_by(self, obj: Citation) -> str:
        return source_of(obj)

    def save_model(
        self, request: HttpRequest, obj: Any, form: Any, change: bool
    ) -> None:
        if change:
            raise BadInput("A citation is never rewritten.")
        asked = obj.item
        citation = cite(
            viewer_of(request),
            obj.item_id,
            workspace=obj.workspace,
            response=obj.response,
            citing_item=obj.citing_item,
        )
        obj.pk, obj.item = citation.pk, citation.item
        if citation.item != asked:
            text = f"{asked} was replaced: {citation.item} is cited instead."
            self.message_user(request, text, messages.WARNING)
