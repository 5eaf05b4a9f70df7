"""What patterns and pathways add to their entities."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from simple_history.models import HistoricalRecords

from operational.models.graph import Details, Entity


class Pattern(Details):
    keywords = ArrayField(
        models.CharField(max_length=120),
        blank=True,
        default=list,
        help_text="Words and short phrases by which people describe it",
    )
    prevention_checklist = ArrayField(models.TextField(), blank=True, default=list)
    history = HistoricalRecords()


class Pathway(Details):
    estimated_time = models.CharField(max_length=100, blank=True, default="")
    history = HistoricalRecords()


class PathwayStep(models.Model):
    pathway = models.ForeignKey(Pathway, models.CASCADE, related_name="steps")
    position = models.PositiveIntegerField()
    description = models.TextField()
    lesson = models.ForeignKey(
        Entity,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        limit_choices_to={"type": "lesson"},
    )
    estimated_time = models.CharField(max_length=100, blank=True, default="")
    success_criteria = models.TextField(blank=True, default="")

    class Meta:
        ordering = ["pathway_id", "position"]

    def __str__(self) -> str:
        return self.description[:80]


class FailurePoint(models.Model):
    """Where on a pathway a known failure tends to wait."""

    pathway = models.ForeignKey(Pathway, models.CASCADE, related_name="failure_points")
    failure = models.ForeignKey(
        Entity,
        models.CASCADE,
        related_name="failure_points",
        limit_choices_to={"type": "failure"},
    )
    likely_at = models.CharField(max_length=200, blank=True, default="")
    preventing_pattern = models.ForeignKey(
        Entity,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        limit_choices_to={"type": "pattern"},
    )

    class Meta:
        ordering = ["pathway_id", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["pathway", "failure"], name="failure_point_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.failure_id} at {self.likely_at}"
