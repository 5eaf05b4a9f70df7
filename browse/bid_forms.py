"""What people enter about a bid and its questions."""

from typing import Any

from django import forms

from core.text import clean
from kb.enums import BidStatus
from kb.models import FormQuestion, Workspace


class CleanText(forms.CharField):
    """Without what the database cannot hold."""

    def to_python(self, value: Any) -> str | None:
        return super().to_python(clean(value) if isinstance(value, str) else value)


class BidForm(forms.Form):
    name = CleanText(max_length=200)
    client = CleanText(max_length=200, required=False, help_text="Who asks")
    due_date = forms.DateField(
        label="Due on",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    status = forms.ChoiceField(
        choices=BidStatus.choices,
        initial=BidStatus.OPEN,
        help_text="Won and lost count in the win rates of all that the bid cites.",
    )

    @classmethod
    def of(cls, bid: Workspace) -> "BidForm":
        names = ("name", "client", "due_date", "status")
        return cls(initial={name: getattr(bid, name) for name in names})

    def values(self) -> dict[str, Any]:
        return dict(self.cleaned_data)


class QuestionForm(forms.Form):
    text = CleanText(
        label="Question",
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    section = CleanText(max_length=200, required=False)
    word_limit = forms.IntegerField(min_value=1, max_value=1_000_000, required=False)

    def question(self, bid: Workspace) -> FormQuestion:
        return FormQuestion(workspace=bid, **self.cleaned_data)

    @classmethod
    def of(cls, question: FormQuestion) -> "QuestionForm":
        names = ("text", "section", "word_limit")
        return cls(initial={name: getattr(question, name) for name in names})

    def apply(self, question: FormQuestion) -> FormQuestion:
        for name, value in self.cleaned_data.items():
            setattr(question, name, value)
        return question
