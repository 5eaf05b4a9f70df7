"""The governed content itself. Written only by functions in `kb.domain`."""

import uuid

from django.conf import settings
from django.contrib.auth.models import Group
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q, Value
from django.db.models.functions import Upper
from django.db.models.lookups import Regex
from simple_history.models import HistoricalRecords

from kb.enums import (
    CadenceKind,
    ContentType,
    Moderation,
    ReviewStatus,
)
from kb.querysets import ContentItemQuerySet
from kb.wordcount import ENOUGH_WORDS


class Domain(models.Model):
    name = models.CharField(max_length=120, unique=True)
    cadence_days = models.PositiveIntegerField(
        null=True, blank=True, help_text="Days between reviews; empty: no reviews."
    )
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="owned_domains",
    )
    owner_group = models.ForeignKey(
        Group, models.SET_NULL, null=True, blank=True, related_name="owned_domains"
    )
    moderation = models.CharField(
        max_length=10, choices=Moderation, default=Moderation.KEEP
    )
    history = HistoricalRecords()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(
                condition=Q(owner=None) | Q(owner_group=None),
                name="domain_owner_person_or_group",
            ),
            models.CheckConstraint(
                condition=Q(cadence_days=None) | Q(cadence_days__gt=0),
                name="domain_cadence_positive",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class ContentItem(models.Model):
    """One article, Q&A pair, case study … What search indexes of it is `ItemIndex`."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    title = models.CharField(max_length=500)
    suggested_title = models.CharField(max_length=500, blank=True, default="")
    content = models.TextField(blank=True, default="", help_text="Markdown")
    content_type = models.CharField(
        max_length=20, choices=ContentType, default=ContentType.ARTICLE
    )
    platform = models.CharField(max_length=80, blank=True, default="")
    source = models.CharField(max_length=200, blank=True, default="")
    source_path = models.CharField(max_length=1000, blank=True, default="")
    source_hash = models.CharField(
        max_length=64, blank=True, default="", help_text="Of the imported file"
    )
    author_name = models.CharField(max_length=200, blank=True, default="")
    primary_domain = models.ForeignKey(
        Domain, models.PROTECT, null=True, blank=True, related_name="items"
    )
    subtopic = models.CharField(max_length=120, blank=True, default="")
    layer = models.CharField(max_length=40, blank=True, default="")
    ai_keywords = ArrayField(
        models.CharField(max_length=120), blank=True, default=list, size=50
    )
    summary = models.TextField(blank=True, default="")
    summary_data = models.JSONField(blank=True, default=dict)
    picture = models.ImageField(upload_to="pictures/", blank=True)

    governance_review_status = models.CharField(
        max_length=20, choices=ReviewStatus, default=ReviewStatus.DRAFT
    )
    cadence = models.CharField(
        max_length=10, choices=CadenceKind, default=CadenceKind.INHERIT
    )
    review_cadence_days = models.PositiveIntegerField(null=True, blank=True)
    next_review_date = models.DateField(null=True, blank=True)
    reviewed_at = models.DateTimeField(null=True, blank=True)
    reviewed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
    )
    review_note = models.TextField(blank=True, default="")
    verified_at = models.DateTimeField(null=True, blank=True)
    verified_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
    )
    verification_note = models.TextField(blank=True, default="")
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="owned_items",
    )
    owner_group = models.ForeignKey(
        Group, models.SET_NULL, null=True, blank=True, related_name="owned_items"
    )

    has_enough_words = models.GeneratedField(
        expression=Regex(F("content"), Value(ENOUGH_WORDS)),
        output_field=models.BooleanField(),
        db_persist=True,
    )
    # Without an index, so that the nightly update of all touches none (`0003_nightly`).
    quality_score = models.PositiveSmallIntegerField(default=0)
    quality_parts = models.JSONField(blank=True, default=dict)
    # Kept by kb.domain.citations: of `decided` bids that cite the item, `won` were won.
    bids_won = models.PositiveIntegerField(default=0)
    bids_decided = models.PositiveIntegerField(default=0)

    hidden_for_approval = models.BooleanField(
        default=False, help_text="An edit waits, and the domain hides items meanwhile."
    )
    archived_at = models.DateTimeField(null=True, blank=True)
    superseded_by = models.ForeignKey(
        "self", models.SET_NULL, null=True, blank=True, related_name="supersedes"
    )
    superseded_reason = models.TextField(blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    content_changed_at = models.DateTimeField()

    history = HistoricalRecords(
        verbose_name="change of an item",
        verbose_name_plural="changes of items",
        excluded_fields=[
            "has_enough_words",
            "quality_score",
            "quality_parts",
            "bids_won",
            "bids_decided",
            "updated_at",
        ],
    )
    objects = ContentItemQuerySet.as_manager()

    class Meta:
        verbose_name = "item"
        ordering = ["-content_changed_at", "id"]
        indexes = [
            models.Index(
                F("content_changed_at").desc(),
                F("id"),
                name="item_newest",
                condition=Q(archived_at=None),
            ),
            models.Index(fields=["primary_domain", "content_type"], name="item_facets"),
            models.Index(fields=["next_review_date"], name="item_due"),
            models.Index(fields=["governance_review_status"], name="item_state"),
            models.Index(
                fields=["source_path"],
                name="item_source",
                condition=~Q(source_path=""),
            ),
            # As filters ask for them: whatever the case.
            models.Index(Upper("subtopic"), name="item_subtopic"),
            models.Index(Upper("platform"), name="item_platform"),
            models.Index(Upper("author_name"), name="item_author"),
            models.Index(Upper("source"), name="item_source_name"),
            models.Index(Upper("layer"), name="item_layer"),
        ]
        constraints = [
            models.CheckConstraint(condition=~Q(title=""), name="item_has_title"),
            models.CheckConstraint(
                condition=Q(content_type__in=ContentType.values),
                name="item_type_known",
            ),
            models.CheckConstraint(
                condition=Q(governance_review_status__in=ReviewStatus.values),
                name="item_state_known",
            ),
            models.CheckConstraint(
                condition=Q(quality_score__lte=100), name="item_quality_0_100"
            ),
            models.CheckConstraint(
                condition=Q(owner=None) | Q(owner_group=None),
                name="item_owner_person_or_group",
            ),
            models.CheckConstraint(
                condition=~Q(superseded_by=F("id")), name="item_not_its_own_successor"
            ),
            models.CheckConstraint(
                condition=(
                    Q(cadence=CadenceKind.PERIOD, review_cadence_days__gt=0)
                    | ~Q(cadence=CadenceKind.PERIOD)
                ),
                name="item_period_has_days",
            ),
            models.CheckConstraint(
                condition=Q(bids_won__lte=F("bids_decided")), name="item_won_of_decided"
            ),
        ]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return f"/items/{self.pk}"


class ReadMark(models.Model):
    """That a user read an item: for "unread only", and for use in quality."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="read_marks"
    )
    item = models.ForeignKey(ContentItem, models.CASCADE, related_name="read_marks")
    first_read_at = models.DateTimeField()
    last_read_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "item"], name="readmark_once_per_user_and_item"
            ),
        ]
        indexes = [models.Index(fields=["item", "last_read_at"], name="readmark_use")]

    def __str__(self) -> str:
        return f"{self.user_id} read {self.item_id}"


class JobRun(models.Model):
    """One run of a scheduled job; unique per job and date, so that it runs once."""

    job = models.CharField(max_length=60)
    date = models.DateField()
    outcome = models.CharField(max_length=10)
    counts = models.JSONField(blank=True, default=dict)
    message = models.TextField(blank=True, default="")
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-started_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["job", "date"], name="jobrun_once_per_job_and_date"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.job} {self.date}"
