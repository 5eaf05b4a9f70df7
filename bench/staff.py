"""Questions in the words of staff, on the 18F handbook: rows of question, path and, if
there is a second right page, its path, in the file that BENCH_STAFF_QUESTIONS names."""

import csv
import os
from pathlib import Path

import numpy as np

from accounts.viewer import Viewer
from bench import results
from bench.corpora import handbook
from bench.library import fill
from bench.peers import bm25
from kb.embedding import embed_query
from search.service import search
from search.types import SearchQuery

PLACES = (1, 3, 5)


def measure() -> dict[str, dict[str, int]] | None:
    path = os.environ.get("BENCH_STAFF_QUESTIONS")
    if not path:
        print("\nStaff questions: left out, since BENCH_STAFF_QUESTIONS is not set.")
        return None
    with Path(path).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    library = fill("18f_handbook", handbook("18f_handbook"))
    names = [each.id for each in library.documents]
    questions = [row["question"] for row in rows]
    vectors = np.array([embed_query(text) for text in questions])
    found = {
        "ours": [
            [library.ids[hit.id] for hit in search(_query(text), Viewer.system()).hits]
            for text in questions
        ],
        "BM25": [_order(row, names) for row in bm25(library, questions)],
        "cosine": [_order(row, names) for row in vectors @ library.vectors.T],
    }
    table = {
        peer: {
            f"first {depth}": sum(
                bool({row["path"], row["also"]} & set(ranking[:depth]))
                for row, ranking in zip(rows, each, strict=True)
            )
            for depth in PLACES
        }
        for peer, each in found.items()
    }
    results.show(f"{len(rows)} questions", table)
    return table


def _query(text: str) -> SearchQuery:
    return SearchQuery(text=text, threshold=0.0)


def _order(scores: np.ndarray, names: list[str]) -> list[str]:
    return [names[place] for place in np.argsort(-scores, kind="stable")]
