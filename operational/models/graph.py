"""Entities, what connects them, and the version of the whole."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex, OpClass
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Upper
from simple_history.models import HistoricalRecords

from operational.enums import EntityType, RelationKind
from operational.querysets import EntityQuerySet

# Letters of either case: error codes are slugs too.
SLUG = RegexValidator(
    r"^[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*\Z",
    "Use letters and digits, joined by single '-', '_' or '.'.",
)


class GraphVersion(models.Model):
    """One row. Every write that an answer can depend on raises it, in its transaction,
    so that it also orders those writes."""

    id = models.SmallIntegerField(primary_key=True, default=1)
    version = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(id=1), name="graph_version_is_one_row"),
        ]

    def __str__(self) -> str:
        return str(self.version)


class Entity(models.Model):
    """What every kind has. `version` is that of the graph at its last write: an index
    in memory loads only what is newer than itself."""

    type = models.CharField(max_length=20, choices=EntityType)
    slug = models.CharField(max_length=160, validators=[SLUG])
    title = models.CharField(max_length=500)
    summary = models.TextField(blank=True, default="")
    body = models.TextField(blank=True, default="", help_text="Markdown")
    tags = ArrayField(models.CharField(max_length=80), blank=True, default=list)
    source = models.CharField(
        max_length=1000,
        blank=True,
        default="",
        help_text="Where it is documented: an address or a path",
    )
    is_public = models.BooleanField(
        default=True, help_text="Shown to anonymous callers of a public hub"
    )
    import_hash = models.CharField(max_length=64, blank=True, default="")
    version = models.BigIntegerField(default=0, db_index=True, editable=False)
    archived_at = models.DateTimeField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    history = HistoricalRecords(excluded_fields=["version", "import_hash"])

    objects = EntityQuerySet.as_manager()

    class Meta:
        ordering = ["type", "slug"]
        verbose_name_plural = "entities"
        indexes = [
            # The jump list: any part of a title, slug or summary (`icontains` compares
            # upper case), a tag, and the newest first.
            GinIndex(
                OpClass(Upper("title"), "gin_trgm_ops"),
                OpClass(Upper("slug"), "gin_trgm_ops"),
                OpClass(Upper("summary"), "gin_trgm_ops"),
                OpClass("tags", "array_ops"),
                name="entity_words",
            ),
            models.Index(fields=["-updated_at", "id"], name="entity_newest"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["type", "slug"], name="entity_once"),
            models.CheckConstraint(
                condition=Q(type__in=EntityType.values), name="entity_type_known"
            ),
        ]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return self.href

    @property
    def key(self) -> str:
        return f"{self.type}:{self.slug}"

    @property
    def href(self) -> str:
        return f"/operational/{self.type}/{self.slug}"


class Relationship(models.Model):
    source = models.ForeignKey(Entity, models.CASCADE, related_name="outgoing")
    kind = models.CharField(max_length=20, choices=RelationKind)
    target = models.ForeignKey(Entity, models.CASCADE, related_name="incoming")
    created_at = models.DateTimeField(auto_now_add=True)
    history = HistoricalRecords()

    class Meta:
        ordering = ["source_id", "kind", "target_id"]
        constraints = [
            models.UniqueConstraint(
                fields=["source", "kind", "target"], name="relationship_once"
            ),
            models.CheckConstraint(
                condition=~Q(source=F("target")),
                name="relationship_of_two",
                violation_error_message="An entity is not related to itself.",
            ),
            models.CheckConstraint(
                condition=Q(kind__in=RelationKind.values),
                name="relationship_kind_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source_id} {self.kind} {self.target_id}"


class Details(models.Model):
    """What entities of one type have beyond the common; its key is the entity's."""

    entity = models.OneToOneField(
        Entity, models.CASCADE, primary_key=True, related_name="%(class)s"
    )

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.entity.title
