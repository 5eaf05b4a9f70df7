"""The graph in memory: templates, words and names of all entities, ready to match.

Built from records and updated by them: a changed record gets a new place, its old one
is dead. Postings are arrays of places, so that candidates among fifty thousand
entities cost about as much as among a thousand.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import log

import numpy as np
import numpy.typing as npt

from operational.pipeline import records as rec
from operational.pipeline.normalise import CODE, MARK, clean, parts, stem, tokens
from operational.pipeline.records import Record
from operational.pipeline.templates import Template, compile_template

Places = npt.NDArray[np.int32]
Scores = npt.NDArray[np.float32]

# Words that every message has: they count for less, however rare they are here.
COMMON = frozenset(
    stem(word)
    for word in (
        "a an the is are was were be been being it its this that these those there you"
        " your we our he they i of in on at to for from by with without as and or not"
        " no if but so than then when while has have had do does did can cannot could"
        " will would should may must use used using get got into out up only any all"
        " some more most other same such which what who how where why see please try"
        " make sure also just here new one two error errors failed fail failure warning"
        " warn info exception message uncaught caused code type value line file name"
    ).split()
)
POSTINGS = 20_000
_COMMON_WEIGHT = 0.25
_CODE_WEIGHT = 0.8
_WORD = re.compile(r"[^\W\d_][\w$]*(?:[./-](?=\w)[\w$]+)*")
_NAME = re.compile(r"[a-z][A-Z]|[A-Z]{2,}[a-z]|\w[_./-]\w")
_CAMEL = re.compile(r"\b[A-Za-z]*[a-z][A-Z]\w*\b")
_FLOOR = 0.35  # of an uncommon word in a small graph, where all are frequent


def most(scores: Scores, count: int) -> list[int]:
    """The places with the highest scores above zero, in order of score, then place."""
    if not len(scores):
        return []
    # Far below the best nothing is worth sorting.
    found = np.flatnonzero(scores > max(0.0, float(scores.max()) * 0.1))
    if len(found) > count:
        cut = np.partition(scores[found], len(found) - count)[len(found) - count]
        found = found[scores[found] >= cut]
    order = np.lexsort((found, -scores[found]))[:count]
    return [int(place) for place in found[order]]


@dataclass(frozen=True)
class Message:
    """A template, how it was come by, and the text it was first made from."""

    template: Template
    kind: str
    text: str


class Postings:
    """Token → places, each with a weight; appended in bulk while building."""

    def __init__(self) -> None:
        self._open: dict[str, tuple[list[int], list[float]]] = {}
        self._closed: dict[str, tuple[Places, Scores]] = {}

    def add(self, token: str, place: int, weight: float = 1.0) -> None:
        opened = self._open.get(token)
        if opened is None:
            opened = self._open[token] = ([], [])
        opened[0].append(place)
        opened[1].append(weight)

    def close(self) -> None:
        for token, opened in self._open.items():
            places = np.array(opened[0], dtype=np.int32)
            weights = np.array(opened[1], dtype=np.float32)
            if old := self._closed.get(token):
                places = np.concatenate([old[0], places])
                weights = np.concatenate([old[1], weights])
            self._closed[token] = (places, weights)
        self._open.clear()

    def get(self, token: str) -> tuple[Places, Scores] | None:
        return self._closed.get(token)

    def add_up(
        self,
        weighed: Iterable[tuple[float, str]],
        size: int,
        *,
        frequency: bool = True,
    ) -> Scores:
        """Weighted sums by place. Rarest first: what many places have is left out once
        enough was added, so that a large graph costs about as much as a small one."""
        scores: Scores = np.zeros(size, dtype=np.float32)
        added = 0
        for weight, token in weighed:
            found = self._closed.get(token)
            if found is None:
                continue
            added += len(found[0])
            if added > POSTINGS:
                break
            share = found[1] if frequency else np.float32(1)
            scores[found[0]] += np.float32(weight) * share
        return scores

    def frequency(self, token: str) -> int:
        found = self._closed.get(token)
        return 0 if found is None else len(found[0])


class Library:
    """Not safe for use by several threads at once: its owner holds a lock."""

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self.records: list[Record | None] = []
        self.place_of: dict[int, int] = {}
        self.messages: list[Message] = []
        self.message_keys: dict[tuple[str, str], int] = {}
        self.owners: list[list[int]] = []  # message → places of records
        self.by_literal = Postings()
        self.by_word = Postings()
        self.by_name: dict[str, list[int]] = defaultdict(list)
        self.by_slug: dict[str, list[int]] = defaultdict(list)
        self.by_tag: dict[str, list[int]] = defaultdict(list)
        self.patterns: list[int] = []
        self.by_pattern: dict[int, list[int]] = defaultdict(list)
        self.codes: set[str] = set()  # names that texts write as one word
        self._titles: dict[int, frozenset[str]] = {}
        self.live = 0
        self.update(records)

    # --- building -----------------------------------------------------------------

    def update(self, records: Iterable[Record]) -> None:
        for record in records:
            self._forget(record.pk)
            self._add(record)
        self.by_literal.close()
        self.by_word.close()
        self._weights: dict[str, float] = {}
        self._weighed: dict[int, tuple[list[float], float]] = {}

    def remove(self, pks: Iterable[int]) -> None:
        for pk in pks:
            self._forget(pk)

    @property
    def stale(self) -> bool:
        """Whether so many places are dead that building anew is better."""
        return len(self.records) > 200 + 1.25 * self.live

    def _forget(self, pk: int) -> None:
        place = self.place_of.pop(pk, None)
        if place is not None:
            self.records[place] = None
            self.live -= 1

    def _add(self, record: Record) -> None:
        place = len(self.records)
        self.records.append(record)
        self.place_of[record.pk] = place
        self.live += 1
        self.by_slug[rec.folded(record.slug)].append(place)
        for name in rec.names(record):
            self.by_name[name].append(place)
        for tag in tag_words(record):
            self.by_tag[tag].append(place)
        if record.pattern is not None:
            self.by_pattern[record.pattern].append(place)
        if record.type == "pattern":
            self.patterns.append(place)
        if record.type == "failure":
            for kind, text in rec.messages(record):
                self._add_message(place, kind, text)
        text = text_of(record)
        self.codes.update(name.casefold() for name in _CAMEL.findall(text))
        words = Counter(bag(text))
        length = sum(words.values())
        for word, count in words.items():
            self.by_word.add(word, place, _saturated(count, length))

    def members(self, pattern_pk: int) -> list[int]:
        """The failures of a pattern."""
        return self.alive(self.by_pattern.get(pattern_pk, ()))

    def _add_message(self, place: int, kind: str, text: str) -> None:
        free = kind in (rec.EXAMPLE, rec.LEAD)
        template = compile_template(text, free_quotes=free)
        if not template.literals:
            return
        key = (template.shown, kind)
        at = self.message_keys.get(key)
        if at is None:
            at = self.message_keys[key] = len(self.messages)
            self.messages.append(Message(template, kind, text))
            self.owners.append([])
            for literal in {token.stem for token in template.literals}:
                self.by_literal.add(literal, at)
        if place not in self.owners[at]:
            self.owners[at].append(place)

    # --- asking -------------------------------------------------------------------

    def pk_at(self, place: int) -> int:
        """Of a place that is alive."""
        record = self.records[place]
        assert record is not None  # noqa: S101 - candidates are alive
        return record.pk

    def message_of(self, message: int | None) -> str:
        return "" if message is None else self.messages[message].text

    def alive(self, places: Iterable[int]) -> list[int]:
        return [place for place in places if self.records[place] is not None]

    def title_words(self, place: int) -> frozenset[str]:
        known = self._titles.get(place)
        if known is None:
            record = self.records[place]
            known = frozenset(bag(record.title) if record else ())
            self._titles[place] = known
        return known

    def weight(self, token: str) -> float:
        """How much a literal tells, 0 to 1: its rarity among all messages."""
        known = self._weights.get(token)
        if known is None:
            known = self._weights[token] = self._weight(token)
        return known

    def _weight(self, token: str) -> float:
        if token in COMMON:
            return _COMMON_WEIGHT
        total = max(len(self.messages), 2)
        rarity = log(total / (self.by_literal.frequency(token) + 0.5)) / log(total * 2)
        return max(_FLOOR, min(1.0, rarity))

    def weighed(self, message: int) -> tuple[list[float], float]:
        """The weights of a message's literals, and their sum. In a message that is a
        code and common words (`error[E0382]`) the code is all."""
        known = self._weighed.get(message)
        if known is None:
            weights = self._weigh(self.messages[message].template)
            known = self._weighed[message] = (weights, sum(weights))
        return known

    def _weigh(self, template: Template) -> list[float]:
        literals = template.literals
        telling = [token.kind for token in literals if token.stem not in COMMON]
        if telling and all(kind == CODE for kind in telling):
            return [
                max(self.weight(t.stem), _CODE_WEIGHT) if t.kind == CODE else 0.0
                for t in literals
            ]
        return [self.weight(token.stem) for token in literals]

    def rarity(self, word: str) -> float:
        """Inverse document frequency among records."""
        total = max(len(self.records), 1)
        found = self.by_word.frequency(word)
        return log(1 + (total - found + 0.5) / (found + 0.5))


def _saturated(count: int, length: int) -> float:
    """BM25's term frequency, k1 1.2, b 0.75, for records of some 150 words."""
    return count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length / 150))


def text_of(record: Record) -> str:
    return "\n".join(
        (
            record.title,
            record.slug.replace("-", " "),
            *record.tags,
            record.failure_type,
            *record.symptoms,
            *record.keywords,
            record.body[: rec.MAX_BODY],
            record.fix[: rec.MAX_BODY],
        )
    )


def bag(text: str) -> list[str]:
    """The uncommon words of a text and the parts of its names: a coarse, quick reading
    for what is only a hint."""
    words: list[str] = []
    for written in _WORD.findall(text):
        words += _telling(written)
    return words


@lru_cache(maxsize=65_536)
def _telling(written: str) -> tuple[str, ...]:
    """What `bag` makes of one written word; texts are made of few distinct ones."""
    word = stem(written.casefold())
    words = () if word in COMMON else (word,)
    if written.isalpha() and (written.islower() or written.istitle()):
        return words
    if not _NAME.search(written):
        return words
    return (*words, *(part for part in parts(written) if part not in COMMON))


def tag_words(record: Record) -> set[str]:
    said = re.sub(r"[-_/]", " ", " ".join(record.tags))
    return {
        t.stem for t in tokens(clean(said)) if t.kind != MARK and t.stem not in COMMON
    }
