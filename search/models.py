from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models

from kb.models import ContentItem
from search.enums import QueryKind, Source


class SearchLog(models.Model):
    """One search and what came of it; written by `search.log` alone. Rows of a deleted
    user stay, without the user."""

    created_at = models.DateTimeField()
    source = models.CharField(max_length=8, choices=Source)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        related_name="searches",
    )
    query = models.TextField()
    filters = models.JSONField(default=dict)
    mode = models.CharField(max_length=16)
    hits = models.PositiveIntegerField(help_text="Shown at once")
    total = models.PositiveIntegerField()
    found_nothing = models.BooleanField()
    weak = models.BooleanField(help_text="Weak matches only")
    duration_ms = models.PositiveIntegerField()
    shown = ArrayField(
        models.UUIDField(), default=list, help_text="Items shown, best first"
    )

    clicked_item = models.ForeignKey(
        ContentItem, models.SET_NULL, null=True, related_name="+"
    )
    clicked_position = models.PositiveIntegerField(
        null=True, help_text="1 is the first; empty on a further page"
    )
    clicked_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = "search"
        verbose_name_plural = "searches"
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index(fields=["-created_at", "-id"], name="searchlog_newest"),
            models.Index(
                fields=["-created_at"],
                name="searchlog_nothing",
                condition=models.Q(found_nothing=True),
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(source__in=Source.values),
                name="searchlog_source_known",
            ),
        ]

    def __str__(self) -> str:
        return self.query[:80]


class SearchWeek(models.Model):
    """What was searched in a week: it stays when the lines of the log are forgotten."""

    week = models.DateField(unique=True, help_text="Its Monday")
    searches = models.PositiveIntegerField()
    people = models.PositiveIntegerField()
    found_nothing = models.PositiveIntegerField()
    weak = models.PositiveIntegerField()
    opened = models.PositiveIntegerField(help_text="Something was opened from it")
    slow = models.PositiveIntegerField()
    p50_ms = models.PositiveIntegerField()
    p95_ms = models.PositiveIntegerField()

    class Meta:
        verbose_name = "week of searches"
        verbose_name_plural = "weeks of searches"
        ordering = ["-week"]

    def __str__(self) -> str:
        return f"Week of {self.week}"


class WeekQuery(models.Model):
    """The words that were searched in a week and found nothing, or were slow."""

    week = models.ForeignKey(SearchWeek, models.CASCADE, related_name="queries")
    kind = models.CharField(max_length=8, choices=QueryKind)
    key = models.CharField(max_length=64, help_text="Of all spellings of the words")
    query = models.TextField(help_text="As it was typed last")
    times = models.PositiveIntegerField()
    people = models.PositiveIntegerField()
    last_at = models.DateTimeField()
    slowest_ms = models.PositiveIntegerField()
    nearest = models.ForeignKey(
        ContentItem, models.SET_NULL, null=True, related_name="+"
    )

    class Meta:
        verbose_name = "query of a week"
        verbose_name_plural = "queries of a week"
        ordering = ["-week", "kind", "-times", "key"]
        constraints = [
            models.UniqueConstraint(
                fields=["week", "kind", "key"], name="weekquery_once"
            ),
        ]

    def __str__(self) -> str:
        return self.query[:80]


class Gap(models.Model):
    """Words that find nothing, and who sees to it."""

    key = models.CharField(max_length=64, unique=True)
    query = models.TextField()
    assigned_to = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        null=True,
        related_name="search_gaps",
    )
    assigned_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    assigned_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["assigned_at", "pk"]

    def __str__(self) -> str:
        return self.query[:80]
