"""What people tell back: whether a fix worked, and pastes that nothing fitted."""

from django.conf import settings
from django.db import models

from operational.models.failure import Failure


class Feedback(models.Model):
    failure = models.ForeignKey(Failure, models.CASCADE, related_name="feedback")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    worked = models.BooleanField()
    note = models.TextField(blank=True, default="")
    day = models.DateField()
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-created_at"]
        verbose_name_plural = "feedback"
        constraints = [
            models.UniqueConstraint(
                fields=["user", "failure", "day"], name="feedback_once_a_day"
            ),
        ]

    def __str__(self) -> str:
        return "worked" if self.worked else "did not work"


class MissedPaste(models.Model):
    """Only ever the redacted telling lines; `key` finds the same miss again. One that
    editors closed stays closed: recorded as a failure, or dismissed."""

    key = models.CharField(max_length=32, unique=True)
    text = models.TextField()
    count = models.PositiveIntegerField(default=1)
    first_at = models.DateTimeField()
    last_at = models.DateTimeField()
    recorded_as = models.ForeignKey(
        Failure, models.SET_NULL, null=True, blank=True, related_name="misses"
    )
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
    )

    class Meta:
        ordering = ["-last_at"]

    def __str__(self) -> str:
        return self.text[:80]
