"""Which mails went out."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from kb.enums import DigestKind


class DigestSent(models.Model):
    """One digest to one person; unique by its day, so that it is sent once. A weekly
    one has the Monday of its week, whenever it was sent."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="digests"
    )
    kind = models.CharField(max_length=10, choices=DigestKind)
    date = models.DateField()
    sent_at = models.DateTimeField()
    subject = models.CharField(max_length=200)

    class Meta:
        verbose_name = "digest"
        ordering = ["-date", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["user", "kind", "date"], name="digest_once_per_user_and_day"
            ),
            models.CheckConstraint(
                condition=Q(kind__in=DigestKind.values), name="digest_kind_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.subject} ({self.date})"
