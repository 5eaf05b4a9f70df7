"""The seam to formats: one file becomes drafts of items, and nothing is written.

A format is a module with an `Importer`, entered in `kb.importers.service`.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from kb.enums import ReviewStatus

DEFAULT_SOURCE = "Import"
MAX_FILE_BYTES = 20 * 1024 * 1024


@dataclass(frozen=True)
class Options:
    """What the caller decides for a whole run; what a file says of itself wins.

    `columns` maps a field to the column of a table that holds it, over what the
    column's name says.
    """

    source: str = DEFAULT_SOURCE
    state: ReviewStatus = ReviewStatus.APPROVED
    domain: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    dry_run: bool = False


@dataclass(frozen=True)
class SourceFile:
    """`name` identifies the file from run to run; `folder` is the readable name of the
    topmost folder it lies in, below the path given."""

    path: Path
    name: str
    folder: str = ""


@dataclass(frozen=True)
class Draft:
    """One item as its file states it.

    `values` (fields of ContentItem) hold on every import, `once` only when the item is
    created: an import does not take back what was decided in the hub since. `domain`
    and `owner` are names. `extra` is what the hub has no field for.
    """

    source_path: str
    source_hash: str
    values: Mapping[str, Any]
    once: Mapping[str, Any] = field(default_factory=dict)
    domain: str = ""
    folder: str = ""
    owner: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    notices: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return str(self.values.get("title") or self.once.get("title"))

    @property
    def size(self) -> int:
        return len(self.values.get("content", ""))


@dataclass(frozen=True)
class ImportProblem:
    """A file, or a row of one, that was not imported, and why."""

    path: str
    reason: str

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


class Importer(Protocol):
    """One format. `read` raises `BadInput` when nothing of the file can be read."""

    @property
    def suffixes(self) -> tuple[str, ...]: ...

    def read(
        self, file: SourceFile, data: bytes, options: Options, now: datetime
    ) -> Iterator[Draft | ImportProblem]: ...


def digest(version: int, data: bytes) -> str:
    """The hash by which an unchanged file is recognised; a new version of an importer
    reads all its files anew."""
    return hashlib.sha256(b"%d\x00" % version + data).hexdigest()
