"""Edits that wait for approval, and reviews that somebody asked for."""

from django.conf import settings
from django.contrib.auth.models import Group
from django.db import models
from django.db.models import Q
from django.utils import timezone
from simple_history.models import HistoricalRecords

from kb.enums import RequestStatus, RevisionStatus
from kb.models.content import ContentItem


class Revision(models.Model):
    """An edit of an approved item that waits for approval, or waited.

    Its changes are never rewritten: a later edit is a revision of its own that holds
    them too, and `continues` this one.
    """

    item = models.ForeignKey(ContentItem, models.CASCADE, related_name="revisions")
    changes = models.JSONField(help_text="field → proposed value")
    base = models.JSONField(
        default=dict, blank=True, help_text="field → value when it was proposed"
    )
    continues = models.OneToOneField(
        "self", models.SET_NULL, null=True, blank=True, related_name="continued_by"
    )
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="revisions"
    )
    note = models.TextField(blank=True, default="")
    status = models.CharField(
        max_length=10, choices=RevisionStatus, default=RevisionStatus.WAITING
    )
    created_at = models.DateTimeField(default=timezone.now)
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
    )
    decision_note = models.TextField(blank=True, default="")

    class Meta:
        verbose_name = "edit"
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["item"],
                condition=Q(status=RevisionStatus.WAITING),
                name="revision_one_waiting_per_item",
            ),
            models.CheckConstraint(
                condition=Q(status__in=RevisionStatus.values),
                name="revision_status_known",
            ),
        ]

    def __str__(self) -> str:
        return f"Edit of {self.item}"


class ReviewRequest(models.Model):
    """That a person or a group is asked to look at an item once, by a day."""

    item = models.ForeignKey(
        ContentItem, models.CASCADE, related_name="review_requests"
    )
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="review_requests",
    )
    group = models.ForeignKey(
        Group, models.CASCADE, null=True, blank=True, related_name="review_requests"
    )
    due_on = models.DateField(null=True, blank=True)
    instructions = models.TextField(blank=True, default="")
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
    )
    asked_at = models.DateTimeField()
    status = models.CharField(
        max_length=10, choices=RequestStatus, default=RequestStatus.OPEN
    )
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
    )
    closing_note = models.TextField(blank=True, default="")
    history = HistoricalRecords()

    class Meta:
        ordering = ["due_on", "asked_at", "pk"]
        indexes = [models.Index(fields=["status", "due_on"], name="request_open_due")]
        constraints = [
            models.CheckConstraint(
                condition=(
                    Q(person__isnull=False, group=None)
                    | Q(person=None, group__isnull=False)
                ),
                name="request_of_person_or_group",
            ),
            models.CheckConstraint(
                condition=Q(status__in=RequestStatus.values),
                name="request_status_known",
            ),
            *(
                models.UniqueConstraint(
                    fields=["item", asked],
                    condition=Q(status=RequestStatus.OPEN),
                    name=f"request_one_open_per_{asked}",
                )
                for asked in ("person", "group")
            ),
        ]

    def __str__(self) -> str:
        return f"Review of {self.item}, asked of {self.asked}"

    @property
    def asked(self) -> str:
        """The name of who is asked."""
        return self.person.display_name() if self.person else str(self.group)
