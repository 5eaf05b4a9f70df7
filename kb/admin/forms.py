"""Forms of the item pages: one field for keywords, a guard against lost updates."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.db.models import Q, QuerySet

from accounts.enums import Role
from accounts.models import User
from core.admin_site import Autocomplete
from kb.domain.requests import MAX_INSTRUCTIONS
from kb.enums import CadenceKind
from kb.models import ContentItem

MAX_PICTURE_BYTES = 5 * 1024 * 1024


class LinesField(forms.CharField):
    """A list of texts, one a line."""

    widget = forms.Textarea(attrs={"rows": 4})

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        lines = (line.strip() for line in text.splitlines())
        return list(dict.fromkeys(filter(None, lines)))

    def has_changed(self, initial: Any, data: Any) -> bool:
        return super().has_changed(self.prepare_value(initial or []), data)


class PersonField(forms.ModelChoiceField[User]):
    def label_from_instance(self, obj: User) -> str:
        return obj.display_name()


def possible_owners(current: int | None) -> QuerySet[User]:
    """Who can review, and whoever owns it now."""
    able = Q(role__in=(Role.EDITOR, Role.ADMIN), is_active=True)
    return User.objects.filter(able | Q(pk=current)).order_by("first_name", "username")


class OwnedForm(forms.ModelForm[Any]):
    """Of something that a person or a group owns."""

    owner = PersonField(queryset=User.objects.none(), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        owner = self.fields.get("owner")
        if isinstance(owner, PersonField):
            owner.queryset = possible_owners(self.instance.owner_id)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("owner") and cleaned.get("owner_group"):
            self.add_error("owner_group", "Choose a person or a group, not both.")
        return cleaned


class ItemForm(OwnedForm):
    """`read_at` is the `updated_at` that the editor saw when the form was opened."""

    ai_keywords = LinesField(
        label="Keywords", required=False, help_text="One a line, at most 50."
    )
    read_at = forms.DateTimeField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "read_at" in self.fields and not self.instance._state.adding:
            self.fields["read_at"].initial = self.instance.updated_at

    def clean_picture(self) -> Any:
        picture = self.cleaned_data["picture"]
        if (
            isinstance(picture, UploadedFile)
            and (picture.size or 0) > MAX_PICTURE_BYTES
        ):
            raise ValidationError("The picture is over 5 MB. Choose a smaller one.")
        return picture


class NoteForm(forms.Form):
    note = forms.CharField(
        required=False, max_length=2000, widget=forms.Textarea(attrs={"rows": 3})
    )


class ReasonForm(forms.Form):
    reason = forms.CharField(
        required=False, max_length=90, help_text="Kept in the history."
    )


class WhyForm(forms.Form):
    """The reason that readers of a replaced item see."""

    reason = forms.CharField(max_length=500)


class RejectForm(forms.Form):
    note = forms.CharField(
        label="Reason",
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="The author reads it.",
    )


class ApproveForm(NoteForm):
    over_later_changes = forms.BooleanField(
        required=False,
        label="Also over fields changed since",
        help_text="Else such an edit is left waiting, and the fields are named.",
    )


class OwnerForm(forms.Form):
    """A person, a group, or nobody."""

    person = PersonField(queryset=User.objects.none(), required=False)
    group = forms.ModelChoiceField(
        queryset=Group.objects.order_by("name"), required=False
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        person = self.fields["person"]
        if isinstance(person, PersonField):
            person.queryset = possible_owners(None)


class RequestForm(OwnerForm):
    """Of whom a review is asked, by when, and what to look at."""

    due_on = forms.DateField(
        label="By", required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    instructions = forms.CharField(
        required=False,
        max_length=MAX_INSTRUCTIONS,
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if bool(cleaned.get("person")) == bool(cleaned.get("group")):
            self.add_error("person", "Ask one person or one group.")
        return cleaned


class CadenceForm(forms.Form):
    kind = forms.ChoiceField(label="Cadence", choices=CadenceKind.choices)
    days = forms.IntegerField(
        required=False, min_value=1, max_value=3650, help_text="For a period."
    )
    on = forms.DateField(
        label="Date",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text="For a fixed date.",
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        kind = cleaned.get("kind")
        if kind == CadenceKind.PERIOD and not cleaned.get("days"):
            self.add_error("days", "A period needs a number of days.")
        if kind == CadenceKind.FIXED and not cleaned.get("on"):
            self.add_error("on", "A fixed cadence needs a date.")
        return cleaned


class SupersedeForm(forms.Form):
    by = forms.ModelChoiceField(
        label="Replaced by",
        queryset=ContentItem.objects.live(),
        widget=Autocomplete(ContentItem._meta.get_field("superseded_by"), admin.site),
    )
    reason = forms.CharField(max_length=500)
