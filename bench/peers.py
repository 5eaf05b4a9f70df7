"""What else ranks documents: each takes a filled library and queries, and gives the
best DEPTH documents of each query."""

import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

import bm25s
import lancedb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import Stemmer
from django.db import connection

from bench.library import Library, Matrix

DEPTH = 100
FUSED = 1_000  # how far down the lists that fusion reads go
Scores = npt.NDArray[np.float64]
Rankings = dict[str, list[str]]


def rankings(
    library: Library, queries: Mapping[str, str], vectors: Matrix
) -> dict[str, Rankings]:
    """All peers; `vectors` are those of the queries, in order."""
    texts = list(queries.values())
    words = bm25(library, texts)
    meaning = np.asarray(vectors @ library.vectors.T, dtype=np.float64)
    scored = {
        "BM25": words,
        "cosine": meaning,
        "RRF": np.array(list(map(_rrf, words, meaning))),
        "min-max .7": np.array(list(map(_min_max, words, meaning))),
    }
    found = {
        name: {
            query: [library.documents[place].id for place in _best(row, DEPTH)]
            for query, row in zip(queries, scores, strict=True)
        }
        for name, scores in scored.items()
    }
    found["LanceDB hybrid"] = _lancedb(library, queries, vectors)
    found["ts_rank_cd"] = _ts_rank(library, queries)
    return found


def bm25(library: Library, texts: Sequence[str]) -> Scores:
    stemmer = Stemmer.Stemmer("english")
    kwargs: dict[str, Any] = {
        "stopwords": "en",
        "stemmer": stemmer,
        "show_progress": False,
    }
    index = bm25s.BM25(k1=1.2, b=0.75)
    corpus = [f"{each.title} {each.text}" for each in library.documents]
    index.index(bm25s.tokenize(corpus, **kwargs), show_progress=False)
    scores = np.zeros((len(texts), len(corpus)))
    asked = bm25s.tokenize(list(texts), return_ids=False, **kwargs)
    for row, words in zip(scores, asked, strict=True):
        if known := [word for word in words if word in index.vocab_dict]:
            row[:] = index.get_scores(known)
    return scores


def _best(row: Scores, depth: int) -> npt.NDArray[np.intp]:
    """Places of what scored above zero, best first."""
    order = np.argsort(-row, kind="stable")[:depth]
    return order[row[order] > 0]


def _rrf(words: Scores, meaning: Scores) -> Scores:
    fused = np.zeros_like(words)
    for row in (words, meaning):
        order = _best(row, FUSED)
        fused[order] += 1 / (60 + 1 + np.arange(len(order)))
    return fused


def _min_max(words: Scores, meaning: Scores) -> Scores:
    fused = np.zeros_like(words)
    for row, share in ((meaning, 0.7), (words, 0.3)):
        order = _best(row, FUSED)
        if len(order):
            low, high = row[order].min(), row[order].max()
            fused[order] += share * (row[order] - low) / ((high - low) or 1)
    return fused


def _lancedb(library: Library, queries: Mapping[str, str], vectors: Matrix) -> Rankings:
    with tempfile.TemporaryDirectory() as folder:
        size = library.vectors.shape[1]
        flat = pa.array(library.vectors.ravel(), pa.float32())
        table = lancedb.connect(folder).create_table(
            "items",
            pa.table(
                {
                    "id": [each.id for each in library.documents],
                    "text": [f"{d.title}\n{d.text}" for d in library.documents],
                    "vector": pa.FixedSizeListArray.from_arrays(flat, size),
                }
            ),
        )
        table.create_fts_index("text", stem=True, remove_stop_words=True)
        return {
            query: [row["id"] for row in lance_search(table, text, vector)]
            for (query, text), vector in zip(queries.items(), vectors, strict=True)
        }


def lance_search(table: Any, text: str, vector: npt.NDArray[np.float32]) -> list[Any]:
    """RRF of vectors and words, its default."""
    plain = " ".join("".join(c if c.isalnum() else " " for c in text).split())
    hybrid = table.search(query_type="hybrid").vector(vector).text(plain or "?")
    rows: list[Any] = hybrid.distance_type("cosine").limit(DEPTH).to_list()
    return rows


_TS_TABLE = """
CREATE TEMPORARY TABLE plain AS
SELECT id, setweight(to_tsvector('english', title), 'A')
           || to_tsvector('english', left(text, 500000)) AS search
FROM unnest(%s::text[], %s::text[], %s::text[]) AS given(id, title, text)
"""
# Any of the words: all of them rarely stand in one document.
_TS_RANK = """
WITH asked AS (
    SELECT replace(plainto_tsquery('english', %s)::text, '&', '|')::tsquery AS query
)
SELECT id FROM plain, asked WHERE search @@ query
ORDER BY ts_rank_cd(search, query) DESC, id LIMIT %s
"""


def _ts_rank(library: Library, queries: Mapping[str, str]) -> Rankings:
    documents = library.documents
    columns = (
        [each.id for each in documents],
        [each.title for each in documents],
        [each.text for each in documents],
    )
    found: Rankings = {}
    with connection.cursor() as cursor:
        cursor.execute(_TS_TABLE, columns)
        for query, text in queries.items():
            cursor.execute(_TS_RANK, [text, DEPTH])
            found[query] = [each for (each,) in cursor.fetchall()]
        cursor.execute("DROP TABLE plain")
    return found
