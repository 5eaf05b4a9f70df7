"""Known items: texts taken from the corpora themselves, that must find where they come
from. A document counts as right if it contains what was asked for."""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from accounts.viewer import Viewer
from bench import results
from bench.corpora import Document, handbook, lines
from bench.library import Library, fill
from core.text import fold
from kb.analysis import is_code
from search.service import search
from search.types import SearchQuery

SEED = 5
QUESTIONS = 200  # of each kind, a corpus
SAMPLE = 1_000  # documents of a large corpus
_WORD = re.compile(r"[A-Za-z]{4,}")
_CODE = re.compile(r"[A-Za-z0-9_.$@][\w.$@:/-]{4,38}[\w+#]")
_SENTENCE = re.compile(r"(?<=[.!?] )[A-Z][^.!?`*\[\]()<>\"“”|#\n]{30,90}(?=[.!?])")


@dataclass
class Kind:
    """`bar`: the least share that stands within the first `places`."""

    name: str
    places: int
    bar: float
    ask: Callable[["Corpus"], Iterator[tuple[str, set[str]]]]
    misses: list[str] = field(default_factory=list)


class Corpus:
    """Documents and what stands in them."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = documents
        self.random = random.Random(SEED)  # noqa: S311
        self.by_title: dict[str, set[str]] = {}
        self.folded: dict[str, str] = {}
        for each in documents:
            self.by_title.setdefault(fold(each.title), set()).add(each.id)
            self.folded[each.id] = fold(f"{each.title}\n{each.text}")

    def some(self) -> list[Document]:
        titled = [each for each in self.documents if each.title]
        return self.random.sample(titled, min(QUESTIONS, len(titled)))

    def containing(self, text: str) -> set[str]:
        folded = fold(text)
        return {pk for pk, body in self.folded.items() if folded in body}


def _titles(corpus: Corpus) -> Iterator[tuple[str, set[str]]]:
    for each in corpus.some():
        yield each.title, corpus.by_title[fold(each.title)]


def _plain_titles(corpus: Corpus) -> Iterator[tuple[str, set[str]]]:
    """Lower case, no accents, no end mark."""
    for each in corpus.some():
        asked = fold(each.title).rstrip(".?!")
        yield asked, corpus.by_title[fold(each.title)]


def _typos(corpus: Corpus) -> Iterator[tuple[str, set[str]]]:
    """One letter of one word left out, doubled, replaced or swapped with the next."""
    for each in corpus.some():
        words = list(_WORD.finditer(each.title))
        if not words:
            continue
        word = corpus.random.choice(words)
        wrong = _mistyped(word.group(), corpus.random)
        asked = each.title[: word.start()] + wrong + each.title[word.end() :]
        if fold(asked) not in corpus.by_title:
            yield asked, corpus.by_title[fold(each.title)]


def _mistyped(word: str, rng: random.Random) -> str:
    at = rng.randrange(len(word) - 1)
    letter = rng.choice("abcdefghijklmnopqrstuvwxyz")
    return rng.choice(
        [
            word[:at] + word[at + 1 :],
            word[:at] + letter + word[at:],
            word[:at] + letter + word[at + 1 :],
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        ]
    )


def _codes(corpus: Corpus) -> Iterator[tuple[str, set[str]]]:
    """Identifiers that stand in one document."""
    found = {each.id: _codes_of(each.text) for each in corpus.documents}
    counts = Counter(code for codes in found.values() for code in codes)
    single = sorted(
        (code, pk) for pk, codes in found.items() for code in codes if counts[code] == 1
    )
    corpus.random.shuffle(single)
    seen: set[str] = set()
    for code, pk in single:
        if pk not in seen and len(corpus.containing(code)) == 1:
            seen.add(pk)
            yield code, {pk}
        if len(seen) == QUESTIONS:
            return


def _codes_of(text: str) -> set[str]:
    """Tokens between blanks or code marks that name something."""
    words = re.split(r"[\s`\"'()\[\]{}<>,;|*=]+", text[:200_000])
    whole = (word.rstrip(".:!?") for word in words)
    return {
        w for w in whole if _CODE.fullmatch(w) and is_code(fold(w)) and "/" not in w
    }


def _phrases(corpus: Corpus) -> Iterator[tuple[str, set[str]]]:
    for each in corpus.some():
        if sentences := _SENTENCE.findall(each.text):
            phrase = corpus.random.choice(sentences).strip()
            yield f'"{phrase}"', corpus.containing(phrase)


def kinds() -> list[Kind]:
    return [
        Kind("exact title", 1, 0.99, _titles),
        Kind("plain title", 1, 0.99, _plain_titles),
        Kind("one typo", 3, 0.95, _typos),
        Kind("identifier", 1, 0.99, _codes),
        Kind("phrase", 1, 0.99, _phrases),
    ]


def corpora() -> dict[str, list[Document]]:
    rng = random.Random(SEED)  # noqa: S311
    small = ("18f_handbook", "gds_way", "govuk_devdocs")
    found = {name: handbook(name) for name in small}
    for name in ("kubernetes_docs", "mdn"):
        found[name] = rng.sample(list(lines(name)), SAMPLE // 2)
    return found


def measure() -> dict[str, dict[str, float]]:
    asked: Counter[str] = Counter()
    right: Counter[str] = Counter()
    wanted = kinds()
    table: dict[str, dict[str, float]] = {}
    for name, documents in corpora().items():
        library, corpus = fill(name, documents), Corpus(documents)
        for kind in wanted:
            questions = list(kind.ask(corpus))
            hits = [
                _found(library, text, expected, kind.places)
                for text, expected in questions
            ]
            kind.misses += [
                f"{name}: {text}"
                for (text, _), hit in zip(questions, hits, strict=True)
                if not hit
            ]
            asked[kind.name] += len(hits)
            right[kind.name] += sum(hits)
            row = table.setdefault(f"{kind.name}, first {kind.places}", {})
            row[name] = sum(hits) / len(hits) if hits else 1.0
    for kind in wanted:
        row = table[f"{kind.name}, first {kind.places}"]
        row["all"] = right[kind.name] / asked[kind.name]
        row["bar"] = kind.bar
    results.show("known items", table)
    for kind in wanted:
        for miss in kind.misses[:10]:
            print(f"  missed {kind.name}: {miss}")
    return table


def _found(library: Library, text: str, expected: set[str], places: int) -> bool:
    query = SearchQuery(text=text, threshold=0.0, limit=places)
    hits = search(query, Viewer.system()).hits
    return any(library.ids[hit.id] in expected for hit in hits)
