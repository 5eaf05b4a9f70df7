"""Retrieval quality on judged collections, known items and, given a file of them, the
questions of staff: `python -m bench.quality [part or collection …]`."""

import sys
from collections.abc import Callable, Mapping
from statistics import fmean
from typing import Any

import numpy as np

from accounts.viewer import Viewer
from bench import known_items, results, staff
from bench.corpora import Collection, judged_collections
from bench.database import scratch
from bench.library import Library, Matrix, fill
from bench.metrics import means
from bench.peers import Rankings, rankings
from kb.embedding import embed_query
from search.service import search
from search.types import SearchQuery

OURS = "ours"
MEASURES = ("ndcg@10", "recall@100")


def main(wanted: list[str]) -> None:
    parts: dict[str, Callable[[], Any]] = {
        "known items": known_items.measure,
        "staff": staff.measure,
    }
    figures: dict[str, Any] = {}
    with scratch("quality"):
        scored = {
            each.name: _judged(each)
            for each in judged_collections()
            if not wanted or each.name in wanted
        }
        if scored:
            figures["judged"] = scored
            _show(scored)
        for name, measure in parts.items():
            if not wanted or name in wanted:
                figures[name] = measure()
    results.write("quality", figures)


def _judged(collection: Collection) -> dict[str, dict[str, float]]:
    """Peer → measure → mean."""
    library = fill(collection.name, collection.documents)
    queries = {
        query: text
        for query, text in collection.queries.items()
        if any(grade > 0 for grade in collection.judged.get(query, {}).values())
    }
    vectors: Matrix = np.array([embed_query(text) for text in queries.values()])
    found = {OURS: ask(library, queries), **rankings(library, queries, vectors)}
    return {
        name: means(
            each, {q: collection.judged[q] for q in queries}, collection.dropped
        )
        for name, each in found.items()
    }


def ask(library: Library, queries: Mapping[str, str]) -> Rankings:
    viewer = Viewer.system()
    return {
        query: [
            library.ids[hit.id]
            for hit in search(
                SearchQuery(text=text, threshold=0.0, limit=100), viewer
            ).hits
        ]
        for query, text in queries.items()
    }


def _show(scored: Mapping[str, Mapping[str, Mapping[str, float]]]) -> None:
    peers = next(iter(scored.values()))
    for measure in MEASURES:
        table = {
            peer: {name: scored[name][peer][measure] for name in scored}
            for peer in peers
        }
        results.show(
            measure,
            {peer: {**row, "mean": fmean(row.values())} for peer, row in table.items()},
        )


if __name__ == "__main__":
    main(sys.argv[1:])
