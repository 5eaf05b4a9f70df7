"""Items that say nearly the same, found by `kb.duplicates`, with what was decided."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from kb.enums import PairKind, PairState
from kb.models.content import ContentItem


class DuplicatePair(models.Model):
    """Two items that are near-duplicates or may contradict each other; the one with the
    lower id is `first`. Found by the hub, decided by people."""

    first = models.ForeignKey(ContentItem, models.CASCADE, related_name="+")
    second = models.ForeignKey(ContentItem, models.CASCADE, related_name="+")
    kind = models.CharField(max_length=10, choices=PairKind)
    likeness = models.FloatField(help_text="Cosine of their vectors, 0 to 1")
    shared = models.FloatField(help_text="Share of their words in common, 0 to 1")
    same_title = models.BooleanField(default=False)
    differences = models.JSONField(
        default=list, blank=True, help_text="Numbers, dates and negations that differ"
    )
    state = models.CharField(max_length=10, choices=PairState, default=PairState.OPEN)
    found_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
    )
    note = models.TextField(blank=True, default="")

    class Meta:
        verbose_name = "near-duplicate"
        ordering = ["-shared", "pk"]
        indexes = [
            models.Index(fields=["second"], name="pair_second"),
            models.Index(fields=["state", "-shared"], name="pair_open"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["first", "second"], name="pair_once"),
            models.CheckConstraint(
                condition=Q(first__lt=F("second")), name="pair_in_order"
            ),
            models.CheckConstraint(
                condition=Q(kind__in=PairKind.values, state__in=PairState.values),
                name="pair_kind_and_state_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.first} / {self.second}"


class Comparison(models.Model):
    """That an item was compared with its neighbours, as it was embedded then."""

    item = models.OneToOneField(
        ContentItem, models.CASCADE, primary_key=True, related_name="comparison"
    )
    recipe = models.CharField(max_length=120)
    text_hash = models.CharField(max_length=64)
    compared_at = models.DateTimeField()

    def __str__(self) -> str:
        return str(self.item_id)
