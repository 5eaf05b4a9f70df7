"""Documents become items by the ordinary import, and are embedded by the product."""

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple
from uuid import UUID

import numpy as np
import numpy.typing as npt
from django.utils import timezone

from accounts.viewer import Viewer
from bench.corpora import Document
from bench.database import SOURCE, empty, tidy
from kb.embedding import embed_missing
from kb.importers.base import Options
from kb.importers.service import import_files
from kb.models import ContentItem, ItemIndex

Matrix = npt.NDArray[np.float32]


class Library(NamedTuple):
    """What was imported: `ids` lead from items back to documents."""

    documents: list[Document]
    ids: dict[UUID, str]
    vectors: Matrix  # of `documents`, zero where one was not imported


def fill(name: str, documents: Sequence[Document]) -> Library:
    """The library holds `documents` and nothing else."""
    empty()
    with tempfile.TemporaryDirectory() as folder:
        for number, document in enumerate(documents):
            path = Path(folder, f"{number:06}.md")
            path.write_text(_markdown(document), encoding="utf-8")
        options = Options(source=f"{SOURCE}{name}")
        report = import_files(Viewer.system(), [Path(folder)], options, timezone.now())
    for problem in report.problems:
        print(f"not imported: {problem}")
    embed_missing()
    tidy()
    return _library(list(documents))


def _markdown(document: Document) -> str:
    title = f"title: {json.dumps(document.title)}\n" if document.title else ""
    return f"---\n{title}---\n{document.text}\n"


def _library(documents: list[Document]) -> Library:
    places = {
        pk: int(PurePosixPath(path).stem)
        for pk, path in ContentItem.objects.values_list("pk", "source_path")
    }
    vectors = np.zeros((len(documents), 1024), dtype=np.float32)
    for pk, vector in ItemIndex.objects.values_list("pk", "embedding"):
        vectors[places[pk]] = vector
    ids = {pk: documents[place].id for pk, place in places.items()}
    return Library(documents, ids, vectors)
