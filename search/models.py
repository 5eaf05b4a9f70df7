from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models

from kb.models import ContentItem
from search.enums import Source


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
