"""Imports files into the graph: the one function behind command and page."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from accounts.viewer import Viewer
from core.errors import BadInput
from operational.domain import storing
from operational.drafts import Draft, Ref
from operational.importers import jsonl, markdown
from operational.importers.base import Problem, Read

READERS: dict[str, Callable[[Path, str], Read]] = {
    ".md": markdown.read,
    ".markdown": markdown.read,
    ".jsonl": jsonl.read,
    ".ndjson": jsonl.read,
}


@dataclass
class Report:
    """What was done, or in a dry run would be."""

    dry_run: bool
    created: list[Ref] = field(default_factory=list)
    changed: list[Ref] = field(default_factory=list)
    unchanged: list[Ref] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    ignored: int = 0


def import_paths(
    viewer: Viewer,
    paths: Sequence[Path],
    *,
    dry_run: bool = False,
    reason: str = "Import",
) -> Report:
    """What cannot be read is reported by name and stops nothing else."""
    viewer.require_editor()
    report = Report(dry_run)
    drafts = _distinct(_read(paths, report), report)
    stored = storing.plan(drafts) if dry_run else storing.store(viewer, drafts, reason)
    report.created, report.changed = stored.created, stored.changed
    report.unchanged = stored.unchanged
    for ref, lost in stored.missing:
        report.problems.append(Problem(str(ref), f"It names {lost}, which is nowhere."))
    return report


def _read(paths: Sequence[Path], report: Report) -> Iterator[tuple[str, Draft]]:
    for path, name in _files(paths, report):
        try:
            for each in READERS[path.suffix.casefold()](path, name):
                if isinstance(each, Problem):
                    report.problems.append(each)
                else:
                    yield name, each
        except BadInput as error:
            report.problems.append(Problem(name, error.message))
        except OSError as error:
            report.problems.append(
                Problem(name, f"It cannot be read: {error.strerror}.")
            )


def _files(paths: Sequence[Path], report: Report) -> Iterator[tuple[Path, str]]:
    for path in paths:
        if path.is_dir():
            for each in sorted(path.rglob("*")):
                if each.is_file() and each.suffix.casefold() in READERS:
                    yield each, str(each.relative_to(path))
                elif each.is_file():
                    report.ignored += 1
        elif not path.exists():
            report.problems.append(Problem(str(path), "It does not exist."))
        elif path.suffix.casefold() not in READERS:
            known = ", ".join(READERS)
            report.problems.append(
                Problem(path.name, f"Its name ends in none of {known}.")
            )
        else:
            yield path, path.name


def _distinct(found: Iterator[tuple[str, Draft]], report: Report) -> list[Draft]:
    """The first of each; a second one of the same name is a mistake to be told."""
    drafts: dict[Ref, Draft] = {}
    for name, draft in found:
        if draft.ref in drafts:
            report.problems.append(Problem(name, f"{draft.ref} stands here twice."))
        else:
            drafts[draft.ref] = draft
    return list(drafts.values())
