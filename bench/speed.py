"""Speed beside peers: `python -m bench.speed [items …]` (default 10000 70000).

Sections of the kb/* corpora, clustered synthetic vectors at 1024 dimensions.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from django.conf import settings

from accounts.viewer import Viewer
from bench import results, sections
from bench.clock import Times, timed
from bench.database import scratch
from bench.embedder import GivenEmbedder
from bench.exhaustive import exhaustive
from bench.load import load
from bench.sections import Question
from bench.speed_peers import lance, raw_ilike, raw_pgvector, tantivy_bm25
from kb.filters import ItemFilters
from search.service import PreviewQuery, preview, search
from search.types import Mode, SearchQuery, SearchResults

QUESTIONS = 150
COMPARED = 40
PAGE = 20
FILTERS = {
    "50 %": ItemFilters(domain=("50 %",)),
    "5 %": ItemFilters(subtopic=("5 %",)),
    "0.5 %": ItemFilters(layer=("0.5 %",)),
    "0.05 %": ItemFilters(platform=("0.05 %",)),
}
_VIEWER = Viewer.system()


def main(sizes: Sequence[int]) -> None:
    settings.EMBEDDER = "bench.embedder.GivenEmbedder"
    figures = {str(size): _measure(size) for size in sizes}
    hybrid = [figures[str(size)]["times"]["hybrid"]["p50"] for size in sizes]
    print(f"\ngrowth of the median: {hybrid[-1] / hybrid[0]:.2f}")
    results.write("speed", figures)


def _measure(size: int) -> dict[str, Any]:
    found = sections.read(size)
    rows = sections.vectors(found)
    asked = sections.questions(found, rows, QUESTIONS)
    GivenEmbedder.given |= {" ".join(each.text.split()): each.vector for each in asked}
    with scratch(f"speed_{size}"):
        load(found, rows)
        times = _times(asked, lance(found, rows), tantivy_bm25(found))
        places = _agreement(asked[:COMPARED])
        full = {name: _full(asked[:50], each) for name, each in FILTERS.items()}
    results.show(f"{size} items, ms", times)
    ratios = _ratios(times)
    results.show("ratios", ratios)
    print(f"same top {PAGE} as without limits: {places:.3f} of places")
    print(f"full pages: {full}")
    return {"times": times, "ratios": ratios, "agreement": places, "full": full}


def _times(
    asked: list[Question],
    lance_hybrid: Callable[[Question], object],
    tantivy_words: Callable[[Question], object],
) -> dict[str, Times]:
    typed = [each.text[: 3 + place % 12].strip() for place, each in enumerate(asked)]
    typed = [text for text in typed if len(text) >= 3]
    calls: dict[str, Callable[[Question], object]] = {
        "raw pgvector": raw_pgvector,
        "hybrid": hybrid,
        **{name: _filtered(filters) for name, filters in FILTERS.items()},
        "LanceDB hybrid": lance_hybrid,
        "keyword": _keyword,
        "tantivy": tantivy_words,
    }
    times = {name: timed(call, asked) for name, call in calls.items()}
    times["preview"] = timed(_preview, typed)
    times["raw ILIKE"] = timed(raw_ilike, typed)
    for name in ("raw pgvector", "hybrid", "LanceDB hybrid"):
        times[f"{name}, 8 clients"] = timed(calls[name], asked, clients=8)
    return times


def hybrid(asked: Question, filters: ItemFilters | None = None) -> SearchResults:
    query = SearchQuery(asked.text, threshold=0.0, limit=PAGE)
    return search(replace(query, filters=filters) if filters else query, _VIEWER)


def _filtered(filters: ItemFilters) -> Callable[[Question], object]:
    return lambda asked: hybrid(asked, filters)


def _keyword(asked: Question) -> object:
    return search(SearchQuery(asked.text, limit=PAGE, mode=Mode.KEYWORD), _VIEWER)


def _preview(text: str) -> object:
    return preview(PreviewQuery(text, limit=PAGE), _VIEWER)


def _agreement(asked: list[Question]) -> float:
    """Share of places of the first page that hold the same item."""
    found = [_page(each) for each in asked]
    with exhaustive():
        right = [_page(each) for each in asked]
    return fmean(
        sum(one == other for one, other in zip(*pair, strict=False)) / len(pair[1])
        for pair in zip(found, right, strict=True)
    )


def _page(asked: Question) -> list[Any]:
    return [hit.id for hit in hybrid(asked).hits]


def _full(asked: list[Question], filters: ItemFilters) -> float:
    """Share of questions whose page is as full as the filter allows."""
    pages = [len(hybrid(each, filters).hits) for each in asked]
    return fmean(page == min(PAGE, max(pages)) for page in pages)


# name: measured, peer, bar for p50 and p95 (None: no bar).
_BARS: dict[str, tuple[str, str, float | None, float | None]] = {
    "hybrid / raw pgvector": ("hybrid", "raw pgvector", 4, 6),
    **{f"filter {name} / none": (name, "hybrid", None, 2) for name in FILTERS},
    "hybrid / LanceDB": ("hybrid", "LanceDB hybrid", 1.5, 1.5),
    "keyword / tantivy": ("keyword", "tantivy", None, 15),
    "preview / raw ILIKE": ("preview", "raw ILIKE", None, 3),
    "8 clients / raw": (
        "hybrid, 8 clients",
        "raw pgvector, 8 clients",
        4,
        6,
    ),
}


def _ratios(times: dict[str, Times]) -> dict[str, dict[str, float | str]]:
    return {
        name: {
            "p50": round(times[ours]["p50"] / times[peer]["p50"], 2),
            "bar": str(p50 or "-"),
            "p95": round(times[ours]["p95"] / times[peer]["p95"], 2),
            "bar ": str(p95 or "-"),
        }
        for name, (ours, peer, p50, p95) in _BARS.items()
    }


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [10_000, 70_000])
