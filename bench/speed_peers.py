"""Peers of the service in speed, on the same data."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import lancedb
import pyarrow as pa
import tantivy
from django.db import connection
from pgvector import Vector as VectorText

from bench.library import Matrix
from bench.peers import lance_search
from bench.sections import Question, Section
from bench.settings import CACHE
from core.text import like

_RAW = "SELECT item_id FROM kb_itemindex ORDER BY embedding <=> %s::vector LIMIT 100"
_ILIKE = "SELECT item_id FROM kb_itemindex WHERE title LIKE %s OR body LIKE %s LIMIT 20"


def raw_pgvector(question: Question) -> Any:
    """The index on the same table, as it comes."""
    with connection.cursor() as cursor:
        cursor.execute("SET hnsw.ef_search = 100")
        cursor.execute(_RAW, [VectorText(question.vector).to_text()])
        return cursor.fetchall()


def raw_ilike(text: str) -> Any:
    """Folded texts and a folded pattern: what ILIKE would do to the original."""
    pattern = f"%{like(text)}%"
    with connection.cursor() as cursor:
        cursor.execute(_ILIKE, [pattern, pattern])
        return cursor.fetchall()


def lance(found: Sequence[Section], rows: Matrix) -> Callable[[Question], object]:
    """Hybrid over HNSW with scalar quantisation and full text, RRF."""
    folder = lancedb.connect(CACHE / "lancedb")
    name = f"items_{len(found)}"
    if name in folder.table_names():
        table = folder.open_table(name)
    else:
        flat = pa.array(rows.ravel(), pa.float32())
        table = folder.create_table(
            name,
            pa.table(
                {
                    "id": list(map(str, range(len(found)))),
                    "text": [f"{each.title}\n{each.text}" for each in found],
                    "vector": pa.FixedSizeListArray.from_arrays(flat, rows.shape[1]),
                }
            ),
        )
        table.create_index(metric="cosine", index_type="IVF_HNSW_SQ", num_partitions=1)
        table.create_fts_index("text", stem=True, remove_stop_words=True)
    return lambda asked: lance_search(table, asked.text, asked.vector)


def tantivy_bm25(found: Sequence[Section]) -> Callable[[Question], object]:
    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("id", stored=True)
    builder.add_text_field("text", tokenizer_name="en_stem")
    folder = Path(CACHE, f"tantivy_{len(found)}")
    made = folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    index = tantivy.Index(builder.build(), path=str(folder))
    if not made:
        writer = index.writer(heap_size=256_000_000)
        for place, each in enumerate(found):
            text = f"{each.title}\n{each.text}"
            writer.add_document(tantivy.Document(id=place, text=text))
        writer.commit()
        writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def ask(asked: Question) -> list[Any]:
        words = "".join(c if c.isalnum() else " " for c in asked.text).lower()
        hits = searcher.search(index.parse_query(words, ["text"]), 20).hits
        return [searcher.doc(address)["id"] for _, address in hits]

    return ask
