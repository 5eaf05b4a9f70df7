"""What a failure adds to its entity, and the texts by which it is recognised."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator
from django.db import models
from django.db.models import Q
from simple_history.models import HistoricalRecords

from operational.enums import Complexity, FixState, Severity
from operational.models.graph import Details, Entity


class Failure(Details):
    """`confidence_score` is derived (`operational.domain.confidence`), `fix_state`
    moves by the rules of `operational.domain.fixes`."""

    failure_type = models.CharField(max_length=200, blank=True, default="")
    severity = models.CharField(
        max_length=10, choices=Severity, default=Severity.MEDIUM
    )
    recovery_complexity = models.CharField(
        max_length=10, choices=Complexity, default=Complexity.MODERATE
    )
    estimated_resolution = models.CharField(max_length=100, blank=True, default="")
    verified_fix = models.TextField("fix", blank=True, default="", help_text="Markdown")
    fix_state = models.CharField(
        max_length=10, choices=FixState, default=FixState.SUGGESTED
    )
    fix_verified_at = models.DateTimeField(null=True, blank=True, editable=False)
    fix_verified_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        editable=False,
        related_name="+",
    )
    instance_count = models.PositiveIntegerField(
        default=1, validators=[MaxValueValidator(1_000_000)]
    )
    last_occurrence = models.DateField(null=True, blank=True)
    pattern = models.ForeignKey(
        Entity,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="failures",
        limit_choices_to={"type": "pattern"},
    )
    prevention_steps = ArrayField(models.TextField(), blank=True, default=list)
    evidence = models.JSONField(
        blank=True, default=list, help_text='[{"type", "path", "descriptor"}]'
    )
    confidence_score = models.PositiveSmallIntegerField(default=0, editable=False)
    history = HistoricalRecords(excluded_fields=["confidence_score"])

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(severity__in=Severity.values), name="failure_severity_known"
            ),
            models.CheckConstraint(
                condition=Q(recovery_complexity__in=Complexity.values),
                name="failure_complexity_known",
            ),
            models.CheckConstraint(
                condition=Q(fix_state__in=FixState.values), name="failure_fix_known"
            ),
            models.CheckConstraint(
                condition=Q(confidence_score__lte=100), name="failure_score_percent"
            ),
        ]


class Symptom(models.Model):
    """A recorded message. `key` names its template (`operational.pipeline.templates`)
    and stays when the algorithm improves: `key_version` tells which one made it."""

    failure = models.ForeignKey(Failure, models.CASCADE, related_name="symptoms")
    position = models.PositiveIntegerField()
    text = models.TextField()
    template = models.TextField(editable=False)
    key = models.CharField(max_length=32, editable=False, db_index=True)
    key_version = models.PositiveSmallIntegerField(editable=False)

    class Meta:
        ordering = ["failure_id", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["failure", "position"],
                name="symptom_once_per_position",
                deferrable=models.Deferrable.DEFERRED,
            ),
        ]

    def __str__(self) -> str:
        return self.text[:80]
