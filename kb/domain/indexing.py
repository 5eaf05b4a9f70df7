"""Writes what search reads of an item: texts, terms and sections. Nothing else does.

Everything is cut, so that no document is too long to save: a tsvector must stay under
1 MB, a sparse vector under 16,000 terms.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from itertools import chain
from statistics import fmean

from django.db import transaction

from core.jobs import enqueue
from core.markdown import plain
from core.text import fold
from kb.analysis import tokens, tokens_of_folded
from kb.chunking import Section, sections
from kb.domain.lexemes import Fields, lexemes, title_text
from kb.domain.term_vectors import (
    flat,
    frequencies,
    lexical_vector,
    sparse,
    title_weights,
)
from kb.domain.words import add_words, is_correctable
from kb.models import (
    ContentChunk,
    ContentItem,
    IndexStatistics,
    ItemIndex,
    ItemTerms,
)

# Items whose texts are in memory at once.
_PAGE = 500


def title_key(title: str) -> str:
    """Equal for titles that differ only in case, accents, spaces and end marks."""
    return hashlib.sha256(fold(title).strip(" .?!:;\"'").encode()).hexdigest()


def index_items(items: Sequence[ContentItem], now: datetime) -> None:
    """(Re)build index rows, terms and sections of `items` in one transaction and
    enqueue their embedding. Vectors stay until newer ones replace them."""
    with transaction.atomic():
        read = [_Reading(item) for item in items]
        ItemIndex.objects.bulk_create(
            [each.index_row(now) for each in read],
            update_conflicts=True,
            unique_fields=["item"],
            update_fields=[
                "title_key",
                "title",
                "extra",
                "body",
                "author",
                "lexemes",
                "indexed_at",
                "text_hash",
            ],
        )
        ItemTerms.objects.bulk_create(
            _terms_rows(read),
            update_conflicts=True,
            unique_fields=["item"],
            update_fields=["lexical", "title", "title_length", "body_length"],
        )
        add_words(word for each in read for word in each.words())
        _write_chunks(read)
        enqueue("kb.embed_items", [str(item.pk) for item in items])


class _Reading:
    """One item taken apart once, for all the rows that are made of it."""

    def __init__(self, item: ContentItem) -> None:
        self.item = item
        self.texts = Fields.of(item)
        self.body = fold(self.texts.body)
        self.body_tokens = list(tokens_of_folded(self.body))

    def index_row(self, now: datetime) -> ItemIndex:
        texts = self.texts
        return ItemIndex(
            item=self.item,
            title_key=title_key(self.item.title),
            title=fold(texts.title),
            extra=fold("\n".join((texts.keywords, texts.summary))),
            body=self.body,
            author=fold(texts.author),
            lexemes=lexemes(texts, self.body_tokens),
            indexed_at=now,
            text_hash=text_hash("\x1e".join(text for _, text in self.sections)),
        )

    @cached_property
    def title_terms(self) -> list[str]:
        return flat(tokens(self.texts.title))

    @cached_property
    def named_terms(self) -> list[str]:
        """Title and keywords: what the item is called."""
        return self.title_terms + flat(tokens(self.texts.keywords))

    def terms_row(
        self, statistics: IndexStatistics, containing: Mapping[str, int]
    ) -> ItemTerms:
        body = flat(tokens(self.texts.summary)) + flat(self.body_tokens)
        return ItemTerms(
            item=self.item,
            lexical=lexical_vector(self.named_terms, body, statistics),
            title=sparse(title_weights(self.title_terms, containing, statistics.items)),
            title_length=len(self.named_terms),
            body_length=len(body),
        )

    def words(self) -> set[str]:
        """Its words as written, worth correcting a typo to."""
        fields = (self.texts.title, self.texts.keywords, self.texts.author)
        short = (token.surface for text in fields for token in tokens(text))
        long = (token.surface for token in self.body_tokens)
        return {word for word in chain(short, long) if is_correctable(word)}

    @cached_property
    def sections(self) -> list[tuple[Section, str]]:
        """Each with the text that is embedded for it."""
        parts = item_sections(self.item)
        return list(zip(parts, embedding_texts(self.item, parts), strict=True))


def _terms_rows(readings: Iterable[_Reading]) -> list[ItemTerms]:
    """An empty index starts with the mean lengths of its first items, so that they
    need not be written twice."""
    read = list(readings)
    statistics = IndexStatistics.objects.first()
    if statistics is None and read:
        statistics = IndexStatistics(
            pk=1,
            mean_title_length=fmean(len(each.named_terms) for each in read),
            mean_body_length=fmean(len(each.body_tokens) for each in read),
        )
        IndexStatistics.objects.bulk_create([statistics], ignore_conflicts=True)
    sizes = statistics or IndexStatistics()
    containing = frequencies(term for each in read for term in each.title_terms)
    return [each.terms_row(sizes, containing) for each in read]


def rewrite_terms(*, titles_only: bool) -> None:
    """Lengths are relative to the mean, title words to their frequency: write the term
    vectors anew for what these are now, or only those of titles, which is cheap."""
    items = ContentItem.objects.filter(terms__isnull=False).order_by("pk")
    if titles_only:
        items = items.only("title", "suggested_title")
    last = None
    while True:
        page = list((items.filter(pk__gt=last) if last else items)[:_PAGE])
        if not page:
            return
        rows = _title_rows(page) if titles_only else _terms_rows(map(_Reading, page))
        ItemTerms.objects.bulk_update(
            rows, ["title"] if titles_only else ["title", "lexical"]
        )
        last = page[-1].pk


def _title_rows(items: Sequence[ContentItem]) -> list[ItemTerms]:
    total = (IndexStatistics.objects.first() or IndexStatistics()).items
    titles = [(item, flat(tokens(title_text(item)))) for item in items]
    containing = frequencies(term for _, terms in titles for term in terms)
    return [
        ItemTerms(item=item, title=sparse(title_weights(terms, containing, total)))
        for item, terms in titles
    ]


def embedding_texts(item: ContentItem, parts: Iterable[Section]) -> list[str]:
    """What is embedded for each section: the title, the headings, the text."""
    return [
        section_text(item.title, " › ".join(part.path), part.text) for part in parts
    ]


def section_text(title: str, heading_path: str, text: str) -> str:
    return "\n".join(filter(None, (title, heading_path, text)))


def item_sections(item: ContentItem) -> list[Section]:
    """At least one, so that an item without text is found by its title."""
    lead = [Section((), item.summary)] if item.summary and not item.content else []
    return sections(item.content) or lead or [Section((), "")]


def text_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _write_chunks(read: Sequence[_Reading]) -> None:
    """Replace sections whose text changed; equal ones keep their vector. Items with a
    new section have still to be read, even if an undo made their text an old one."""
    wanted: dict[tuple[object, int], ContentChunk] = {}
    for each in read:
        for position, (part, text) in enumerate(each.sections):
            wanted[each.item.pk, position] = ContentChunk(
                item=each.item,
                position=position,
                heading_path=" › ".join(part.path),
                text=part.text,
                plain=plain(part.text),
                text_hash=text_hash(text),
            )
    stored = ContentChunk.objects.filter(
        item__in=[each.item for each in read]
    ).values_list("pk", "item_id", "position", "text_hash")
    stale = []
    for pk, item_id, position, hash_ in stored:
        chunk = wanted.get((item_id, position))
        if chunk is not None and chunk.text_hash == hash_:
            del wanted[item_id, position]
        else:
            stale.append(pk)
    ContentChunk.objects.filter(pk__in=stale).delete()
    ContentChunk.objects.bulk_create(wanted.values(), batch_size=500)
    changed = {chunk.item_id for chunk in wanted.values()}
    ItemIndex.objects.filter(item__in=changed).exclude(embedded_hash="").update(
        embedded_hash=""
    )
