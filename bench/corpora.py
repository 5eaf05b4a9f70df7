"""The collections under `BENCH_DATA` (default: ../shared/data)."""

import csv
import json
import os
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from core import frontmatter

DATA = Path(os.environ.get("BENCH_DATA", "../shared/data"))


@dataclass(frozen=True)
class Document:
    id: str
    title: str
    text: str


@dataclass(frozen=True)
class Collection:
    """`judged`: query id → document id → grade; `dropped` are left out of a ranking
    before it is scored (Cranfield's source papers)."""

    name: str
    documents: list[Document]
    queries: dict[str, str]
    judged: dict[str, dict[str, int]]
    dropped: dict[str, set[str]]


def judged_collections() -> list[Collection]:
    folders = sorted((DATA / "retrieval").iterdir())
    return [read(folder) for folder in folders if (folder / "qrels.tsv").exists()]


def read(folder: Path) -> Collection:
    judged: dict[str, dict[str, int]] = defaultdict(dict)
    for query, document, grade in _rows(folder / "qrels.tsv"):
        judged[query][document] = int(grade)
    dropped: dict[str, set[str]] = defaultdict(set)
    if (folder / "source_docs.tsv").exists():
        for query, document, *_ in _rows(folder / "source_docs.tsv"):
            dropped[query].add(document)
    return Collection(
        name=folder.name,
        documents=[
            Document(str(row["id"]), row["title"], row["text"])
            for row in _lines(folder / "corpus.jsonl")
        ],
        queries={
            str(row["id"]): row["text"] for row in _lines(folder / "queries.jsonl")
        },
        judged=dict(judged),
        dropped=dict(dropped),
    )


def handbook(name: str) -> list[Document]:
    """A folder of Markdown files; each is named by its path."""
    root = DATA / "kb" / name
    return [_page(path, root) for path in sorted(root.rglob("*.md"))]


def _page(path: Path, root: Path) -> Document:
    stated, body = frontmatter.split(path.read_text(encoding="utf-8"))
    title = str(stated.get("title") or "")
    return Document(str(path.relative_to(root)), title, body)


def lines(name: str) -> Iterator[Document]:
    """A large corpus, one document a line."""
    for row in _lines(DATA / "kb" / f"{name}.jsonl"):
        yield Document(str(row["id"]), row["title"], row["text"])


def _rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.reader(file, delimiter="\t") if row]


def _lines(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)
