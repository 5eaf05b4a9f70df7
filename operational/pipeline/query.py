"""What is asked, read once for all steps."""

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from operational.pipeline.library import COMMON, Library
from operational.pipeline.lines import Line, telling
from operational.pipeline.matching import Text
from operational.pipeline.normalise import (
    CODE,
    MARK,
    NUMBER,
    VALUE,
    clean,
    stem,
    tokens,
)
from operational.pipeline.records import folded

# Beyond it a query is a paste: words of it are no description of a problem.
SHORT_WORDS = 12
_NOT_SLUG = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class Query:
    raw: str
    library: Library

    @cached_property
    def text(self) -> str:
        return clean(self.raw[:4_000]).strip()

    @cached_property
    def is_hyphenated(self) -> bool:
        """A sentence with hyphens for its spaces, unless it names something."""
        text = self.text
        return (
            text.count("-") >= 2
            and not any(c.isspace() for c in text)
            and "/" not in text
            and self.name not in self.library.by_name
        )

    @cached_property
    def lines(self) -> list[Line]:
        return telling(self.said if self.is_hyphenated else self.raw)

    @cached_property
    def laid_out(self) -> Text:
        return Text(self.lines, self.library)

    @cached_property
    def slug(self) -> str:
        return _NOT_SLUG.sub("-", self.text.casefold()).strip("-")

    @cached_property
    def name(self) -> str:
        return folded(self.text)

    @cached_property
    def is_short(self) -> bool:
        return (
            len(self.raw) <= 200
            and "\n" not in self.text
            and len(tokens(self.said)) <= SHORT_WORDS
        )

    @cached_property
    def said(self) -> str:
        return self.text.replace("-", " ") if self.is_hyphenated else self.text

    @cached_property
    def names(self) -> list[str]:
        """Words, or neighbours written together, that the graph knows as one name."""
        found = split_words(self.said)
        joined = [a + b for a, b in pairwise(found)]
        return [name for name in (*found, *joined) if name in self.library.codes]

    @cached_property
    def words(self) -> list[str]:
        """Stems of a short query without common words, hyphens taken apart; names that
        were written in two words too."""
        found = [stem(word) for word in (*split_words(self.said), *self.names)]
        return list(dict.fromkeys(word for word in found if word not in COMMON))


def split_words(text: str) -> list[str]:
    """The words of a query; names with a capital or a digit inside stay whole."""
    words: list[str] = []
    for token in tokens(text):
        if token.kind in (MARK, VALUE):
            continue
        if token.kind in (CODE, NUMBER) and "_" in token.text:
            words.append(token.text)
        else:
            words += [part for part in re.split(r"[-/]", token.text) if part]
    return words
