"""What search reads, apart from the content: written by `kb.domain.indexing` alone.

Kept off `ContentItem` so that nightly updates of scores and states never rewrite a
vector or full-text index.
"""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex, OpClass
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models.functions import Cast
from pgvector.django import HnswIndex, SparseVectorField, VectorField

import kb.lookups  # noqa: F401 - registers the lookup that searches use
from kb.models.content import ContentItem
from kb.querysets import ContentChunkQuerySet, ItemIndexQuerySet

DIMENSIONS = 1024
# Terms are hashed into this many dimensions (pgvector's limit for sparsevec is 1e9).
TERM_DIMENSIONS = 1_000_000_000


class ItemIndex(models.Model):
    """The texts of one item as indexed: folded (`core.text.fold`) and cut.

    `lexemes` is the literal form of a tsvector, written by `kb.analysis`; weights A for
    title and suggested title, B for keywords, C for summary and author, D for body.
    """

    item = models.OneToOneField(
        ContentItem, models.CASCADE, primary_key=True, related_name="index"
    )
    title_key = models.CharField(max_length=64, help_text="Hash of the folded title")
    title = models.TextField()
    extra = models.TextField(help_text="Keywords, author and summary")
    body = models.TextField()
    author = models.TextField()
    lexemes = models.TextField()
    search = models.GeneratedField(
        expression=Cast("lexemes", SearchVectorField()),
        output_field=SearchVectorField(),
        db_persist=True,
    )
    indexed_at = models.DateTimeField()

    # Stored in the row, not beside it (`0006_inline_vectors`).
    embedding = VectorField(dimensions=DIMENSIONS, null=True)
    # Both empty until embedded. `recipe` names model and way; `text_hash` what it read.
    recipe = models.CharField(max_length=120, default="")
    text_hash = models.CharField(max_length=64, default="")
    embedded_hash = models.CharField(max_length=64, default="")

    objects = ItemIndexQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "item indexes"
        indexes = [
            models.Index(fields=["title_key"], name="index_title_key"),
            models.Index(fields=["recipe"], name="index_recipe"),
            GinIndex(fields=["search"], name="index_search"),
            GinIndex(OpClass("title", "gin_trgm_ops"), name="index_title_trigrams"),
            GinIndex(OpClass("extra", "gin_trgm_ops"), name="index_extra_trigrams"),
            GinIndex(OpClass("body", "gin_trgm_ops"), name="index_body_trigrams"),
            GinIndex(OpClass("author", "gin_trgm_ops"), name="index_author_trigrams"),
            HnswIndex(
                name="index_embedding",
                fields=["embedding"],
                m=16,
                ef_construction=64,
                opclasses=["vector_cosine_ops"],
            ),
        ]

    def __str__(self) -> str:
        return self.title[:80]


class ItemTerms(models.Model):
    """The document side of ranking by words (`kb.domain.term_vectors`). Apart from
    `ItemIndex`, since it is written anew when the mean lengths drift."""

    item = models.OneToOneField(
        ContentItem, models.CASCADE, primary_key=True, related_name="terms"
    )
    lexical = SparseVectorField(dimensions=TERM_DIMENSIONS)
    title = SparseVectorField(dimensions=TERM_DIMENSIONS)
    title_length = models.PositiveIntegerField()
    body_length = models.PositiveIntegerField()

    class Meta:
        verbose_name_plural = "item terms"

    def __str__(self) -> str:
        return str(self.item_id)


class TermStatistic(models.Model):
    """In how many indexed items a term occurs; rebuilt by `kb.domain.terms`."""

    term = models.CharField(max_length=200, primary_key=True)
    items = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"{self.term}: {self.items}"


class Word(models.Model):
    """A word of the library as people write it, for correcting one typo. `deletes` are
    the word with each letter left out: two words one typo apart share one."""

    word = models.CharField(max_length=40, primary_key=True)
    deletes = ArrayField(models.CharField(max_length=40))

    class Meta:
        indexes = [GinIndex(fields=["deletes"], name="word_deletes")]

    def __str__(self) -> str:
        return self.word


class IndexStatistics(models.Model):
    """One row: the size of the index when its term statistics were last built."""

    id = models.SmallAutoField(primary_key=True)
    items = models.PositiveIntegerField(default=0)
    mean_title_length = models.FloatField(default=8.0)
    mean_body_length = models.FloatField(default=150.0)
    built_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name_plural = "index statistics"

    def __str__(self) -> str:
        return f"{self.items} items"


class ContentChunk(models.Model):
    """One section of an item."""

    item = models.ForeignKey(ContentItem, models.CASCADE, related_name="chunks")
    position = models.PositiveIntegerField()
    heading_path = models.TextField(blank=True, default="")
    text = models.TextField(help_text="Markdown")
    plain = models.TextField(default="", help_text="Its words alone, for snippets")
    text_hash = models.CharField(max_length=64)
    embedding = VectorField(dimensions=DIMENSIONS, null=True)
    recipe = models.CharField(max_length=120, default="")

    objects = ContentChunkQuerySet.as_manager()

    class Meta:
        verbose_name = "section"
        ordering = ["item", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["item", "position"], name="chunk_once_per_position"
            ),
        ]
        indexes = [
            models.Index(fields=["recipe"], name="chunk_recipe"),
            HnswIndex(
                name="chunk_embedding",
                fields=["embedding"],
                m=16,
                ef_construction=64,
                opclasses=["vector_cosine_ops"],
            ),
        ]

    def __str__(self) -> str:
        return self.heading_path or f"{self.item_id} {self.position}"
