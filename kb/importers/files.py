"""Which files a run reads, and under which names."""

import os
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from core.errors import BadInput
from core.text import clean
from kb.importers.base import (
    DEFAULT_SOURCE,
    MAX_FILE_BYTES,
    ImportProblem,
    SourceFile,
)

_MAX_NAME = 1000


@dataclass
class Found:
    """`ignored` counts the files of formats that no importer reads."""

    files: list[SourceFile] = field(default_factory=list)
    problems: list[ImportProblem] = field(default_factory=list)
    ignored: int = 0


def find(paths: Sequence[Path], suffixes: Collection[str], source: str) -> Found:
    """Files to read, in order of name. `BadInput` if a path does not exist.

    A file is named from the folder given on, whatever the working directory; the
    source's name goes before, so that two imports never take each other's items.
    """
    roots = [Path(os.path.abspath(path)) for path in paths]  # noqa: PTH100 keeps links
    for root in roots:
        if not root.exists():
            raise BadInput(f"{root} does not exist.", field="path")
    prefix = "" if source == DEFAULT_SOURCE else f"{source}: "
    found = Found()
    taken: dict[str, Path] = {}
    for path, root in _each(roots):
        name = prefix + _name(path, root)
        if path.suffix.casefold() not in suffixes:
            _leave(found, path, root, name, suffixes)
        elif reason := _unreadable(path, root, name) or _taken(taken, name, path):
            found.problems.append(ImportProblem(name, reason))
        else:
            found.files.append(SourceFile(path, name, _folder(path, root)))
    return found


def _each(roots: Sequence[Path]) -> Iterator[tuple[Path, Path]]:
    """Each file once, with the first root that leads to it."""
    seen: set[Path] = set()
    for root in roots:
        for path in _below(root):
            if path not in seen:
                seen.add(path)
                yield path, root


def _taken(taken: dict[str, Path], name: str, path: Path) -> str | None:
    first = taken.setdefault(name, path)
    if first == path:
        return None
    return f"{first} has the same name here; import it with another source."


def _below(root: Path) -> Iterator[Path]:
    if not root.is_dir():
        yield root
        return
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        for name in sorted(files):
            if not name.startswith("."):
                yield Path(folder, name)


def _leave(
    found: Found, path: Path, root: Path, name: str, suffixes: Collection[str]
) -> None:
    """In a folder other formats are left alone; a file that was named is a mistake."""
    if path != root:
        found.ignored += 1
        return
    known = ", ".join(sorted(suffixes))
    reason = f"This format cannot be imported. These can: {known}."
    found.problems.append(ImportProblem(name, reason))


def _unreadable(path: Path, root: Path, name: str) -> str | None:
    if len(name) > _MAX_NAME:
        return f"Its path is longer than {_MAX_NAME} characters."
    try:
        if path != root and not path.resolve().is_relative_to(root.resolve()):
            return "This link leads out of the folder."
        if not path.is_file():
            return "This is not a file."
        if path.stat().st_size > MAX_FILE_BYTES:
            return f"It is larger than {MAX_FILE_BYTES // 1024**2} MB."
    except (OSError, RuntimeError) as error:
        return f"It cannot be read: {error}."
    return None


def _name(path: Path, root: Path) -> str:
    relative = os.fsencode(path.relative_to(root.parent).as_posix())
    text = relative.decode("utf-8", "backslashreplace")
    return unicodedata.normalize("NFC", clean(text))


def _folder(path: Path, root: Path) -> str:
    parts = path.relative_to(root).parts[:-1]
    return readable(parts[0]) if parts else ""


def readable(name: str) -> str:
    """A file's or folder's name as words: "how-to_restore" → "How to restore"."""
    text = os.fsencode(name).decode("utf-8", "replace")
    words = " ".join(text.replace("-", " ").replace("_", " ").split())
    return words[:1].upper() + words[1:]
