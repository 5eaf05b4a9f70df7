"""Where two texts that say nearly the same may contradict: numbers, dates, negations.

A rule that people can follow: each sentence of one text is laid beside the sentence of
the other that shares most words with it, and compared. Nothing is inferred.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.markdown import plain
from core.text import fold
from kb.analysis import tokens_of_folded

# Of the words of both sentences, how many they share to speak of the same thing.
SAME_SUBJECT = 0.4
# A negation turns a sentence round only if little else is different.
SAME_STATEMENT = 0.5
# Sentences with fewer words (a cell of a table, a heading) say too little to compare.
MIN_WORDS = 3
# Texts are compared up to so many sentences, and so many differences are kept.
MAX_SENTENCES = 200
MOST = 10

_MONTH = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    "|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_DATE = re.compile(
    rf"\b\d{{4}}-\d\d-\d\d\b|\b(?:\d{{1,2}} )?(?:{_MONTH}) (?:\d{{1,2}},? )?\d{{4}}\b"
)
# With its currency or sign; the word behind, or else before it, says what it counts.
_NUMBER = re.compile(r"([£€$]?)\b(\d[\d,]*(?:\.\d+)?)\b ?(%|percent\b|per cent\b)?")
_NEXT_WORD = re.compile(r"[ -]?([a-z]{1,20})")
_WORD_BEFORE = re.compile(r"([a-z]+)[ -]?$")
_NEGATION = re.compile(
    r"\b(?:no|not|never|none|neither|nor|without|cannot|[a-z]+n't)\b"
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


class DifferenceKind(StrEnum):
    NUMBER = "number"
    DATE = "date"
    NEGATION = "negation"


@dataclass(frozen=True)
class Difference:
    """What one text says against the other, and the sentences in which they do."""

    kind: DifferenceKind
    first: str
    second: str
    first_sentence: str
    second_sentence: str

    def __str__(self) -> str:
        return f"{self.first} / {self.second}"


@dataclass(frozen=True)
class _Sentence:
    text: str
    words: frozenset[str]
    dates: frozenset[str]
    numbers: dict[str, dict[str, str]]  # what is counted → value → as written
    negations: tuple[str, ...]


def differences(first: str, second: str) -> list[Difference]:
    """Between two Markdown texts, in order of the first."""
    ours, others = _sentences(first), _sentences(second)
    both = {each.text for each in ours} & {each.text for each in others}
    others = [each for each in others if each.text not in both]
    found: dict[Difference, None] = {}
    for sentence in (each for each in ours if each.text not in both):
        other, shared = _nearest(sentence, others)
        if other is not None and shared >= SAME_SUBJECT:
            found |= dict.fromkeys(_compare(sentence, other, shared))
    return list(found)[:MOST]


def _sentences(markdown: str) -> list[_Sentence]:
    lines = plain(markdown).splitlines()
    parts = [part for line in lines for part in _SENTENCE_END.split(line)]
    read = (_read(part.strip()) for part in parts[:MAX_SENTENCES])
    return [each for each in read if len(each.words) >= MIN_WORDS]


def _read(text: str) -> _Sentence:
    folded = fold(text)
    dates = frozenset(match.group() for match in _DATE.finditer(folded))
    rest = _DATE.sub(" ", folded)
    numbers: dict[str, dict[str, str]] = defaultdict(dict)
    for counted, value, written in _numbers(rest):
        numbers[counted][value] = written
    return _Sentence(
        text=text,
        words=_words(_NEGATION.sub(" ", _NUMBER.sub(" ", rest))),
        dates=dates,
        numbers=numbers,
        negations=tuple(match.group() for match in _NEGATION.finditer(folded)),
    )


def _words(folded: str) -> frozenset[str]:
    return frozenset(term for token in tokens_of_folded(folded) for term in token.terms)


def _numbers(folded: str) -> Iterator[tuple[str, str, str]]:
    """What is counted, the value, and both as written."""
    for match in _NUMBER.finditer(folded):
        currency, value, percent = match.groups()
        value = value.replace(",", "").rstrip(".")
        value = value.rstrip("0").rstrip(".") if "." in value else value
        unit = _NEXT_WORD.match(folded, match.end())
        if currency or percent:
            yield currency or "%", value, match.group().strip()
        elif unit and (stem := _stem(unit[1])):
            yield stem, value, f"{match.group().strip()} {unit[1]}"
        else:
            before = _WORD_BEFORE.search(folded[: match.start()].rstrip())
            yield (
                _stem(before[1]) if before else "",
                value,
                f"{before[1]} {match.group().strip()}" if before else match.group(),
            )


def _stem(word: str) -> str:
    return next(iter(_words(word)), "")


def _nearest(
    sentence: _Sentence, others: Sequence[_Sentence]
) -> tuple[_Sentence | None, float]:
    best = max(others, key=lambda other: _shared(sentence, other), default=None)
    return best, _shared(sentence, best) if best else 0.0


def _shared(first: _Sentence, second: _Sentence) -> float:
    union = len(first.words | second.words)
    return len(first.words & second.words) / union if union else 0.0


def _compare(
    first: _Sentence, second: _Sentence, shared: float
) -> Iterator[Difference]:
    def difference(kind: DifferenceKind, one: str, other: str) -> Difference:
        return Difference(kind, one, other, first.text, second.text)

    for counted in first.numbers:
        ours, theirs = first.numbers[counted], second.numbers.get(counted, {})
        if _disagree(ours, theirs):
            yield difference(
                DifferenceKind.NUMBER, _only(ours, theirs), _only(theirs, ours)
            )
    if _disagree(first.dates, second.dates):
        yield difference(
            DifferenceKind.DATE,
            ", ".join(sorted(first.dates - second.dates)),
            ", ".join(sorted(second.dates - first.dates)),
        )
    if shared >= SAME_STATEMENT and bool(first.negations) != bool(second.negations):
        yield difference(
            DifferenceKind.NEGATION,
            first.negations[0] if first.negations else "(no negation)",
            second.negations[0] if second.negations else "(no negation)",
        )


def _disagree(ours: Iterable[str], theirs: Iterable[str]) -> bool:
    """What only one of them names is more detail, no contradiction."""
    one, other = set(ours), set(theirs)
    return bool(one - other) and bool(other - one)


def _only(ours: dict[str, str], theirs: dict[str, str]) -> str:
    return ", ".join(ours[value] for value in ours if value not in theirs)
