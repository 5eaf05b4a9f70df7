"""Markdown with front matter: one file, one item."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import PurePosixPath

from core import frontmatter
from core.errors import BadInput
from core.markdown import plain
from core.text import fold
from kb.importers import fields
from kb.importers.base import Draft, ImportProblem, Options, SourceFile, digest
from kb.importers.files import readable
from kb.importers.text import decode

VERSION = 1
_INDEXES = ("index", "readme")


class MarkdownImporter:
    suffixes = (".md", ".markdown", ".mdown")

    def read(
        self, file: SourceFile, data: bytes, options: Options, now: datetime
    ) -> Iterator[Draft | ImportProblem]:
        text, notices = decode(data)
        raw, body = frontmatter.split(text)
        if not raw and not body.strip():
            raise BadInput("The file is empty.")
        stated = fields.parse(raw, now)
        named = str(stated.values.pop("title", ""))
        title, content = _title(named, body)
        title, content, cut = fields.titled(title or _file_title(file), content)
        # A title made of the file's name is nothing that the file says.
        where = stated.values if named or content != body else stated.once
        where["title"] = title
        yield Draft(
            source_path=file.name,
            source_hash=digest(VERSION, data),
            values={**stated.values, "content": content},
            once=stated.once,
            domain=stated.domain,
            folder=file.folder,
            owner=stated.owner,
            extra=stated.extra,
            notices=(*notices, *stated.notices, *cut),
        )


def _title(named: str, body: str) -> tuple[str, str]:
    """The title, and the content without a first heading that only repeats it."""
    heading, rest = _first_heading(body)
    if heading and (not named or fold(named) == fold(heading)):
        return named or heading, rest.lstrip("\n")
    return named, body


def _first_heading(body: str) -> tuple[str, str]:
    """A first-level heading that opens the body, and what follows it. No regular
    expression: a line may be millions of characters long."""
    text = body.lstrip()
    line, _, rest = text.partition("\n")
    indent = body[: len(body) - len(text)].rpartition("\n")[2].expandtabs(4)
    if len(indent) > 3:
        return "", body  # a block of code
    if line.startswith(("# ", "#\t")):
        title = line[1:].strip()
        bare = title.rstrip("#")
        return plain(bare if bare[-1:] in (" ", "\t") else title), rest
    underline, _, after = rest.partition("\n")
    if line.strip() and set(underline.rstrip()) == {"="}:
        return plain(line), after
    return "", body


def _file_title(file: SourceFile) -> str:
    path = PurePosixPath(file.name)
    stem = path.stem
    if stem.casefold() in _INDEXES and path.parent.name:
        stem = path.parent.name
    return readable(stem) or path.name
