"""Step 0: recorded messages in what was pasted, and the names of records in it."""

import heapq
import math
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import numpy as np

from operational.pipeline import records as rec
from operational.pipeline.library import Library, Scores, bag, most
from operational.pipeline.matching import Fit, fits
from operational.pipeline.normalise import CODE
from operational.pipeline.query import Query
from operational.pipeline.rank import (
    CERTAIN,
    CERTAINTY,
    CLASS_BONUS,
    CLASS_CLASH,
    FLOOR,
    HALF_FITS,
    KEYWORD_CAP,
    KIND_TRUST,
    SHARED_CAP,
    SHORT,
    SHORT_EXPLAINS,
    SUPPORT_FLOOR,
    SUPPORT_FULL,
    SUPPORT_PARTIAL,
    WORDS_SHARE,
    Candidate,
    Reason,
)

_WORD_CANDIDATES = 20
_OWNERS = 6
_URL = re.compile(r"[a-z][a-z0-9+.-]{1,20}://[^\s\"'`<>()\[\]{}]+", re.IGNORECASE)


def find(query: Query) -> list[Candidate]:
    library = query.library
    shared = _shared_words(query)
    found: dict[int, Candidate] = {}
    for fit in fits(query.laid_out, library):
        owners = library.alive(library.owners[fit.message])
        fitting = _support(fit, library)
        for place in _likeliest(owners, shared):
            support = fitting + WORDS_SHARE * float(shared[place])
            points = confidence(fit, support, library, alone=len(owners) == 1)
            line = query.lines[fit.at].text
            new = Candidate(place, points, Reason.SYMPTOM, support, fit.message, line)
            _keep(found, new)
    for place in most(shared, _WORD_CANDIDATES):
        support = WORDS_SHARE * float(shared[place])
        if library.records[place] is not None:
            points = min(KEYWORD_CAP, _banded(support))
            _keep(found, Candidate(place, points, Reason.SYMPTOM, support))
    for place, points in _named(query):
        support = 1.5 + (found[place].support if place in found else 0.0)
        _keep(found, Candidate(place, points, Reason.SYMPTOM, support))
    return [each for each in found.values() if _is_failure(library, each.place)]


def _likeliest(owners: list[int], shared: Scores) -> list[int]:
    """Of the records that share a message, those that share most of the other words."""
    if len(owners) <= _OWNERS:
        return owners
    return heapq.nsmallest(_OWNERS, owners, key=lambda place: (-shared[place], place))


def _keep(found: dict[int, Candidate], new: Candidate) -> None:
    known = found.get(new.place)
    if known is None or (new.confidence, new.support) > (
        known.confidence,
        known.support,
    ):
        found[new.place] = new


def _is_failure(library: Library, place: int) -> bool:
    record = library.records[place]
    return record is not None and record.type == "failure"


def _support(fit: Fit, library: Library) -> float:
    """How well a message fits, 0 to 1: how much of it is there, or, of a message cut
    short, how much of what is there it explains; how much evidence that is."""
    cut = 0.9 * fit.explained * min(1.0, fit.evidence / 2)
    whole = max(fit.coverage, cut if fit.coverage > 0.3 else 0.0)
    trust = KIND_TRUST[library.messages[fit.message].kind] * (0.7 + 0.3 * fit.line)
    enough = fit.evidence / (fit.evidence + 0.6)
    alone = 0.6 + 0.4 * fit.explained
    clash = CLASS_CLASH if fit.clash else 1.0
    return float(whole**1.5 * enough * alone * trust * clash + CLASS_BONUS * fit.prefix)


def confidence(fit: Fit, support: float, library: Library, *, alone: bool) -> int:
    points = _banded(support)
    if fit.coverage < HALF_FITS:
        points = min(points, KEYWORD_CAP)
    certainty = _code(fit, library) or 1 - math.exp(
        -fit.evidence * (0.4 + fit.explained)
    )
    certainty *= KIND_TRUST[library.messages[fit.message].kind]
    if fit.evidence < SHORT and fit.explained < SHORT_EXPLAINS and not fit.codes:
        return min(points, FLOOR - 1)
    if fit.exact and not fit.clash and certainty >= CERTAINTY:
        share = (certainty - CERTAINTY) / (1 - CERTAINTY)
        points = CERTAIN + round((100 - CERTAIN) * share)
    return points if alone else min(points, SHARED_CAP)


def _banded(support: float) -> int:
    """Support as confidence: 40 to 60 for keywords, 60 to 80 for partial matches."""
    if support < SUPPORT_FLOOR:
        return int((FLOOR - 1) * max(0.0, support) / SUPPORT_FLOOR)
    if support < SUPPORT_PARTIAL:
        share = (support - SUPPORT_FLOOR) / (SUPPORT_PARTIAL - SUPPORT_FLOOR)
        return FLOOR + int(20 * share)
    share = (support - SUPPORT_PARTIAL) / (SUPPORT_FULL - SUPPORT_PARTIAL)
    return 60 + int(20 * min(1.0, share))


def _code(fit: Fit, library: Library) -> float:
    """A message that is one code is as certain as the code is unmistakable."""
    template = library.messages[fit.message].template
    codes = [t.text for t in template.literals if t.kind == CODE]
    words = [t for t in template.literals if t.kind != CODE]
    if len(codes) != 1 or len(words) > 1:
        return 0.0
    if any(c.isdigit() for c in codes[0]) or "_" in codes[0]:
        return 0.97
    # Of names made of words, the long ones: others use the short ones too.
    return min(0.95, 0.4 + len(codes[0]) / 30)


def _shared_words(query: Query) -> Scores:
    """BM25 of the telling words, as a share of what all of them are worth."""
    library = query.library
    words = {w for line in query.lines if line.weight > 0.6 for w in bag(line.text)}
    weighed = sorted(
        ((library.rarity(w), w) for w in words), key=lambda x: (-x[0], x[1])
    )
    scores = library.by_word.add_up(weighed, len(library.records))
    return scores / np.float32(sum(weight for weight, _ in weighed) + 4.0)


def _named(query: Query) -> Iterator[tuple[int, int]]:
    """Records whose own page or id the paste names, with the confidence of that."""
    library = query.library
    text = "\n".join(line.text for line in query.lines)
    for match in _URL.finditer(text):
        address = urlsplit(match.group().rstrip(".,;:"))
        for tail in (address.fragment, address.path.rstrip("/").rpartition("/")[2]):
            places = library.alive(library.by_name.get(rec.folded(tail), ()))
            if not tail or len(places) != 1:
                continue
            record = library.records[places[0]]
            assert record is not None  # noqa: S101 - alive
            if _kin(address.netloc, urlsplit(record.source).netloc):
                yield places[0], 97
            elif "-" in rec.folded(tail):
                yield places[0], 92


def _kin(one: str, other: str) -> bool:
    """Whether two hosts belong together: errors.pydantic.dev and docs.pydantic.dev."""
    return bool(one) and one.split(".")[-2:] == other.split(".")[-2:]
