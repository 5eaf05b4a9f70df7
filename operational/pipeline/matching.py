"""How well the telling lines of a paste fit recorded messages.

Literals must follow in order and, unless the record has a slot between them, without
foreign words between; what is rare among all recorded messages counts for more.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from operational.pipeline.library import Library, most
from operational.pipeline.lines import Line
from operational.pipeline.normalise import CODE, NUMBER, VALUE, Token
from operational.pipeline.templates import Template

CANDIDATES = 80
LAID = 28  # of the candidates, those that could fit best
_ANCHORS = 4
_TELLING = 0.26  # weight above that of common words
_BACK = 30  # how many pairings before one are tried as its predecessor
_LINE_GAP = 3  # positions that a line break counts for
_INSERTED = 0.12  # what a foreign word between two literals costs
_SPANNED = 0.015  # what a word in a slot costs
_APART = 40  # more between two literals than any value holds
_INFLECTED = 0.92  # of a literal that is there in another form

# A literal, a token and what their pairing is worth.
_Cell = tuple[int, int, float]


@dataclass(frozen=True)
class Fit:
    """`coverage`: how much of the message, weighed, is there in order. `evidence`: how
    much that is. `explained`: how much of the line it stands in it accounts for, and
    `at` which line that is.
    `exact`: every literal, as recorded, nothing foreign between."""

    message: int
    coverage: float
    evidence: float
    explained: float
    exact: bool
    codes: int
    line: float
    at: int = 0
    prefix: bool = False
    clash: bool = False  # the line names another class of error than the record


class Text:
    """The telling lines as one sequence that templates are laid along."""

    def __init__(self, lines: Sequence[Line], library: Library) -> None:
        self.tokens: list[Token] = []
        self.places: list[int] = []
        self.line_of: list[int] = []
        self.weights: list[float] = []
        self.lines = lines
        self.at: dict[str, list[int]] = defaultdict(list)
        place = 0
        for number, line in enumerate(lines):
            for token in line.tokens:
                self.at[token.stem].append(len(self.tokens))
                self.tokens.append(token)
                self.places.append(place)
                self.line_of.append(number)
                self.weights.append(_worth(token, library))
                place += 1
            place += _LINE_GAP
        self.line_weights = [0.0] * len(lines)
        for number, weight in zip(self.line_of, self.weights, strict=True):
            self.line_weights[number] += weight
        self.stems = frozenset(self.at)


def _worth(token: Token, library: Library) -> float:
    """Values and numbers need no explanation: they vary."""
    return 0.0 if token.kind in (VALUE, NUMBER) else library.weight(token.stem)


def candidates(text: Text, library: Library) -> list[int]:
    """The messages that share the most telling words, most promising first."""
    known = [
        (library.weight(s), s) for s in text.stems if library.by_literal.frequency(s)
    ]
    telling = [each for each in sorted(known, key=_rarest) if each[0] > _TELLING]
    scores = library.by_literal.add_up(telling, len(library.messages))
    promising = []
    for message in most(scores, CANDIDATES):
        shared = float(scores[message])
        # What a message could reach: most of it, or much of it.
        share = min(1.0, shared / library.weighed(message)[1])
        promising.append((-(share**1.5) * shared / (shared + 0.6), message))
    promising.sort()
    return [message for _, message in promising[:LAID]]


def _rarest(known: tuple[float, str]) -> tuple[float, str]:
    return -known[0], known[1]


def fits(text: Text, library: Library) -> list[Fit]:
    found = []
    for message in candidates(text, library):
        fit = lay(message, library.messages[message].template, text, library)
        if fit is not None:
            found.append(fit)
    return found


def lay(message: int, template: Template, text: Text, library: Library) -> Fit | None:
    """The best place of a template in the text."""
    weights, whole = library.weighed(message)
    best: tuple[float, list[tuple[int, int]]] = (0.0, [])
    for start, end in _windows(template, weights, text):
        laid = _chain(template, weights, text, start, end)
        if laid[0] > best[0]:
            best = laid
    score, pairs = best
    if not pairs:
        return None
    return _fit(message, template, text, score, whole, pairs, weights)


def _windows(
    template: Template, weights: Sequence[float], text: Text
) -> list[tuple[int, int]]:
    """Stretches of the text around the rarest literals that are in it."""
    order = sorted(range(len(weights)), key=lambda i: (-weights[i], i))
    reach = 2 * len(weights) + 14
    seen: list[tuple[int, int]] = []
    anchors = 0
    for i in order:
        for position in text.at.get(template.literals[i].stem, ())[:_ANCHORS]:
            if any(
                s <= position - i and position + len(weights) - i < e for s, e in seen
            ):
                continue
            seen.append((max(0, position - reach), position + reach))
            anchors += 1
        if anchors >= _ANCHORS:
            break
    return seen


def _chain(
    template: Template, weights: Sequence[float], text: Text, start: int, end: int
) -> tuple[float, list[tuple[int, int]]]:
    """The best ordered pairing of literals and tokens between `start` and `end`."""
    cells = _cells(template, weights, text, start, end)
    slots = list(accumulate(template.slots, initial=0))
    scores: list[float] = []
    back: list[int] = []
    places = text.places
    for at, (i, j, gain) in enumerate(cells):
        best, origin = 0.0, -1
        for before in range(max(0, at - _BACK), at):
            if scores[before] > best:
                i0, j0, _ = cells[before]
                between = places[j] - places[j0] - 1
                if i0 < i and j0 < j and between <= _APART:
                    foreign = between - (i - i0 - 1)
                    each = _SPANNED if slots[i + 1] > slots[i0 + 1] else _INSERTED
                    score = scores[before] - each * (max(0, foreign))
                    if score > best:
                        best, origin = score, before
        scores.append(best + gain)
        back.append(origin)
    if not cells:
        return 0.0, []
    at = max(range(len(cells)), key=lambda n: (scores[n], -n))
    top, pairs = scores[at], []
    while at >= 0:
        pairs.append(cells[at][:2])
        at = back[at]
    return top, pairs[::-1]


def _cells(
    template: Template, weights: Sequence[float], text: Text, start: int, end: int
) -> list[_Cell]:
    """Every literal with every token that it could be, and what that is worth."""
    return [
        (
            i,
            j,
            weights[i] * (1.0 if text.tokens[j].text == literal.text else _INFLECTED),
        )
        for i, literal in enumerate(template.literals)
        for j in text.at.get(literal.stem, ())
        if start <= j < end
    ]


def _fit(
    message: int,
    template: Template,
    text: Text,
    score: float,
    whole: float,
    pairs: list[tuple[int, int]],
    weights: Sequence[float],
) -> Fit:
    hit = {text.line_of[j] for _, j in pairs}
    taken = sum(text.weights[j] for _, j in pairs)
    around = sum(text.line_weights[n] for n in hit)
    spanned = _spanned(template, text, pairs)
    codes = sum(
        template.literals[i].kind == CODE and weights[i] > 0.4 for i, _ in pairs
    )
    return Fit(
        message=message,
        coverage=max(0.0, score) / whole,
        evidence=max(0.0, score),
        explained=min(1.0, (taken + spanned) / around) if around else 1.0,
        exact=_exact(template, text, pairs, weights),
        codes=codes,
        line=max(text.lines[n].weight for n in hit),
        at=text.line_of[pairs[0][1]],
        prefix=bool(template.prefix) and template.prefix in text.stems,
        clash=_clashes(template, text, hit),
    )


def _clashes(template: Template, text: Text, hit: set[int]) -> bool:
    """`RuntimeError: out of memory` is not what `RangeError: out of memory` records."""
    named = {
        token.text
        for number in hit
        for token in text.lines[number].tokens
        if token.kind == CODE and token.text.endswith(("error", "exception"))
    }
    return bool(template.prefix and named) and template.prefix not in named


def _spanned(template: Template, text: Text, pairs: list[tuple[int, int]]) -> float:
    """The weight of what stands in slots: explained too."""
    total = 0.0
    for (_, j0), (i, j) in pairwise(pairs):
        if template.slots[i]:
            total += sum(text.weights[j0 + 1 : j])
    if pairs[0][0] == 0 and template.slots[0]:
        first = pairs[0][1]
        line = text.line_of[first]
        k = first - 1
        while k >= 0 and text.line_of[k] == line and first - k <= 6:
            total += text.weights[k]
            k -= 1
    return total


def _exact(
    template: Template,
    text: Text,
    pairs: list[tuple[int, int]],
    weights: Sequence[float],
) -> bool:
    """Every literal that counts, as recorded, nothing foreign between."""
    wanted = {i for i, weight in enumerate(weights) if weight > 0}
    if not wanted <= {i for i, _ in pairs}:
        return False
    before = None
    for i, j in pairs:
        if text.tokens[j].text != template.literals[i].text:
            return False
        if before is not None and not template.slots[i]:
            apart = text.places[j] - text.places[before[1]] - (i - before[0])
            if apart > 0 and not any(template.slots[before[0] + 1 : i + 1]):
                return False
        before = (i, j)
    return True
