"""The text's own sentences and words, with no model: sumy's graph reduction,
which keeps the sentences that share most with the others (LexRank's idf is zero or less
for what a short text is about).

Sentences are split and words are stemmed as for search, so nothing is downloaded and
any language that search reads works here.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from sumy.models.dom import ObjectDocumentModel, Paragraph, Sentence
from sumy.summarizers.reduction import ReductionSummarizer

from core.markdown import outline, plain
from core.text import fold
from kb.analysis import spans, tokens
from kb.domain.term_vectors import frequencies, inverse_document_frequency
from kb.models import IndexStatistics
from kb.summarisers.base import (
    MAX_KEYWORDS,
    MAX_POINT,
    MAX_POINTS,
    MAX_SUMMARY,
    MAX_TITLE,
    Source,
    Summary,
)

# Each sentence is compared with each.
MAX_SENTENCES = 150
SENTENCES = 2
# Shorter ones, and those without an end, are headings, cells and fragments.
MIN_WORDS = 5
_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
_WHOLE = re.compile(r"[.!?。！？][\"')\]]?$")
_NAME_OF_A_FILE = re.compile(r"^\S*[_.\d]\S*$|^[a-z]+(-[a-z]+){2,}$")


class _Words:
    """What sumy asks of a tokenizer."""

    def to_words(self, text: str) -> tuple[str, ...]:
        return tuple(term for token in tokens(text) for term in token.terms)


class Extractive:
    method = "extraction"

    def summarise(self, source: Source) -> Summary:
        text = plain(source.content)
        sentences = list(_sentences(text))
        headings = [each.title for each in outline(source.content)]
        return Summary(
            summary=_cut(" ".join(_best(sentences)), MAX_SUMMARY),
            title=_title(source.title, [*headings, *sentences]),
            keywords=_keywords(f"{source.title}\n{text}"),
            points=[heading[:MAX_POINT] for heading in headings[:MAX_POINTS]],
        )


def _sentences(text: str) -> Iterator[str]:
    parts = (part.strip() for line in text.splitlines() for part in _END.split(line))
    return (part for part in parts if _WHOLE.search(part) and _words(part) >= MIN_WORDS)


def _words(sentence: str) -> int:
    return sum(1 for _ in tokens(sentence))


def _best(sentences: list[str]) -> list[str]:
    """In the order of the text."""
    if len(sentences) <= SENTENCES:
        return sentences
    words = _Words()
    paragraph = Paragraph([Sentence(s, words) for s in sentences[:MAX_SENTENCES]])
    ranked = ReductionSummarizer()(ObjectDocumentModel([paragraph]), SENTENCES)
    return [str(sentence) for sentence in ranked]


def _title(title: str, candidates: Iterable[str]) -> str:
    """Only where the item is called like a file."""
    if not _NAME_OF_A_FILE.match(title):
        return ""
    return _cut(next(iter(candidates), ""), MAX_TITLE)


def _keywords(text: str) -> list[str]:
    """The words that stand here often and elsewhere rarely, as first written."""
    counts, written = Counter[str](), dict[str, str]()
    for start, end, terms in spans(text):
        word = text[start:end].strip(".,-_'")
        if terms and len(word) > 2 and not word.replace(".", "").isdigit():
            counts[terms[-1]] += 1
            written.setdefault(terms[-1], word)
    items = (IndexStatistics.objects.first() or IndexStatistics()).items
    containing = frequencies(counts)
    weights = {
        term: count * inverse_document_frequency(containing.get(term, 0), items)
        for term, count in counts.items()
        if count > 1
    }
    best = sorted(weights, key=lambda term: (-weights[term], term))
    distinct = {fold(written[term]): written[term] for term in best}
    return list(distinct.values())[:MAX_KEYWORDS]


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return text[: limit - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
