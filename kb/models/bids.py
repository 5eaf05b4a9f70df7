"""Bids: where the library is used, and how its use turned out."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from simple_history.models import HistoricalRecords

from kb.enums import BidStatus
from kb.models.content import ContentItem


class Workspace(models.Model):
    """A bid. `from_bid=<id>` in an address is this id."""

    name = models.CharField(max_length=200)
    client = models.CharField(max_length=200, blank=True, default="")
    due_date = models.DateField(null=True, blank=True)
    status = models.CharField(max_length=10, choices=BidStatus, default=BidStatus.OPEN)
    decided_on = models.DateField(null=True, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    history = HistoricalRecords()

    class Meta:
        verbose_name = "bid"
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=BidStatus.values), name="bid_status_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.client}: {self.name}" if self.client else self.name


class FormQuestion(models.Model):
    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="questions")
    position = models.PositiveIntegerField()
    section = models.CharField(max_length=200, blank=True, default="")
    text = models.TextField()
    word_limit = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["workspace", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "position"], name="question_once_per_position"
            ),
        ]

    def __str__(self) -> str:
        return self.text[:80]


class FormResponse(models.Model):
    """The answer written to a question."""

    question = models.OneToOneField(
        FormQuestion, models.CASCADE, related_name="response"
    )
    text = models.TextField(help_text="Markdown")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
    )
    updated_at = models.DateTimeField(auto_now=True)
    history = HistoricalRecords()

    def __str__(self) -> str:
        return self.text[:80]


class Citation(models.Model):
    """An item is cited by exactly one of: a response, a bid, another item."""

    item = models.ForeignKey(ContentItem, models.CASCADE, related_name="citations")
    response = models.ForeignKey(
        FormResponse, models.CASCADE, null=True, blank=True, related_name="citations"
    )
    workspace = models.ForeignKey(
        Workspace, models.CASCADE, null=True, blank=True, related_name="citations"
    )
    citing_item = models.ForeignKey(
        ContentItem, models.CASCADE, null=True, blank=True, related_name="cites"
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=(
                    Q(response__isnull=False, workspace=None, citing_item=None)
                    | Q(response=None, workspace__isnull=False, citing_item=None)
                    | Q(response=None, workspace=None, citing_item__isnull=False)
                ),
                name="citation_by_exactly_one",
                violation_error_message=(
                    "Choose exactly one: a bid, an answer or another item."
                ),
            ),
            *(
                models.UniqueConstraint(
                    fields=["item", field],
                    condition=Q(**{f"{field}__isnull": False}),
                    name=f"citation_once_per_{field}",
                    violation_error_message=f"{citing} cites this item already.",
                )
                for field, citing in (
                    ("response", "This answer"),
                    ("workspace", "This bid"),
                    ("citing_item", "That item"),
                )
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item_id} cited"
