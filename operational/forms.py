"""Recording a failure by hand."""

from typing import Any

from django import forms

from operational.domain.recording import NewFailure
from operational.enums import EntityType, Severity
from operational.models import Entity


class RecordForm(forms.Form):
    """What does not fit is refused by `recording.record`, field by field."""

    title = forms.CharField(max_length=480)
    summary = forms.CharField(
        required=False,
        label="What happened, in a sentence or two",
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    messages = forms.CharField(
        required=False,
        label="Messages by which it is recognised, one a line",
        help_text="What varies goes in braces: open '{path}'. Ids, paths, numbers and "
        "versions are recognised as varying by themselves.",
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
    )
    fix = forms.CharField(
        required=False,
        label="The fix, if there is one",
        help_text="Markdown. It starts as suggested; an editor verifies it.",
        widget=forms.Textarea(attrs={"rows": 5}),
    )
    prevention = forms.CharField(
        required=False,
        label="So it does not happen again, one step a line",
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    severity = forms.ChoiceField(choices=Severity.choices, initial=Severity.MEDIUM)
    pattern = forms.ChoiceField(required=False, label="Pattern it is part of")
    tags = forms.CharField(required=False, help_text="Separated by commas")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        patterns = Entity.objects.live().filter(type=EntityType.PATTERN)
        rows = patterns.order_by("title").values_list("slug", "title")
        choices = [("", "None, or not known yet"), *rows]
        self.fields["pattern"].choices = choices  # type: ignore[attr-defined]

    @classmethod
    def prefilled(cls, new: NewFailure) -> "RecordForm":
        return cls(initial={"title": new.title, "messages": "\n".join(new.messages)})

    def stated(self) -> NewFailure:
        data = self.cleaned_data
        return NewFailure(
            title=data["title"],
            summary=data["summary"],
            messages=tuple(data["messages"].splitlines()),
            fix=data["fix"],
            prevention=tuple(data["prevention"].splitlines()),
            tags=tuple(data["tags"].split(",")),
            severity=data["severity"],
            pattern=data["pattern"],
        )
