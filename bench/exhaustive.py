"""The same ranking with nothing left out: every visible row is a candidate.

Changes the ranking's limits while it lasts, so it knows the search room from inside.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

from search import legs, lexical

_EVERYTHING = 10_000_000


@contextmanager
def exhaustive() -> Iterator[None]:
    with ExitStack() as stack:
        for module, name in (
            (legs, "NEAREST"),
            (legs, "BEST_WORDS"),
            (lexical, "WORD_MATCHES"),
        ):
            stack.enter_context(patch.object(module, name, _EVERYTHING))
        near = legs.nearest
        stack.enter_context(
            patch.object(legs, "nearest", lambda *given, **_: near(*given, exact=True))
        )
        yield
