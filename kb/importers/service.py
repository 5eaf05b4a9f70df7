"""Imports files into the library: the one function behind command and upload page."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from accounts.viewer import Viewer
from core.errors import BadInput
from core.jobs import enqueue
from kb.domain.domains import missing_domains
from kb.domain.terms import refresh_statistics
from kb.importers.apply import Applier
from kb.importers.base import Draft, Importer, ImportProblem, Options, SourceFile
from kb.importers.csv_qa import CsvImporter
from kb.importers.duplicates import Seen, alike
from kb.importers.fields import STATES
from kb.importers.files import find
from kb.importers.markdown import MarkdownImporter
from kb.importers.plan import Action, Decision, domain_of, plan

# Every format, by the suffix of its files.
_FORMATS: tuple[Importer, ...] = (MarkdownImporter(), CsvImporter())
IMPORTERS = {suffix: each for each in _FORMATS for suffix in each.suffixes}

BATCH = 200
BATCH_CHARACTERS = 8_000_000

# Called with the number of files read and their total.
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Outcome:
    path: str
    action: Action
    title: str
    item_id: UUID | None


@dataclass(frozen=True)
class Notice:
    path: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}: {self.text}"


@dataclass
class Report:
    """What was done, or in a dry run would be. `ignored` counts files of other
    formats; `new_domains` are filled in a dry run only."""

    dry_run: bool
    outcomes: list[Outcome] = field(default_factory=list)
    problems: list[ImportProblem] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    new_domains: list[str] = field(default_factory=list)
    ignored: int = 0

    def count(self, action: Action) -> int:
        return sum(outcome.action == action for outcome in self.outcomes)

    @property
    def created(self) -> int:
        return self.count(Action.CREATE)

    @property
    def changed(self) -> int:
        return self.count(Action.CHANGE)

    @property
    def skipped(self) -> int:
        return self.count(Action.SKIP)

    def as_dict(self) -> dict[str, Any]:
        return {
            **asdict(self),
            "created": self.created,
            "changed": self.changed,
            "skipped": self.skipped,
        }


def import_files(
    viewer: Viewer,
    paths: Sequence[Path],
    options: Options,
    now: datetime,
    progress: Progress = lambda done, total: None,
) -> Report:
    """Import files and folders. Files that cannot be imported are `problems`; only what
    is wrong with the call itself raises."""
    viewer.require_editor()
    _check(options)
    found = find(paths, IMPORTERS.keys(), options.source)
    report = Report(options.dry_run, problems=found.problems, ignored=found.ignored)
    run = _Run(report, Applier(viewer, options, now))
    for batch in _batches(_drafts(found.files, options, now, progress), report):
        run.take(batch)
    if not options.dry_run and report.created + report.changed:
        refresh_statistics(now)
        enqueue("kb.generate_summaries")
    return report


def _check(options: Options) -> None:
    if options.state not in STATES:
        raise BadInput.unknown("state", options.state, [each.value for each in STATES])
    for name, limit in (("source", 200), ("domain", 120)):
        if len(getattr(options, name)) > limit:
            raise BadInput(f"{name} is longer than {limit} characters.", field=name)


def _drafts(
    files: Sequence[SourceFile], options: Options, now: datetime, progress: Progress
) -> Iterator[Draft | ImportProblem]:
    for done, file in enumerate(files, start=1):
        importer = IMPORTERS[file.path.suffix.casefold()]
        try:
            yield from importer.read(file, file.path.read_bytes(), options, now)
        except BadInput as error:
            yield ImportProblem(file.name, error.message)
        except OSError as error:
            yield ImportProblem(file.name, f"It cannot be read: {error.strerror}.")
        progress(done, len(files))


def _batches(
    drafts: Iterable[Draft | ImportProblem], report: Report
) -> Iterator[list[Draft]]:
    """Drafts in batches bounded in number and size; problems go to the report."""
    batch: list[Draft] = []
    size = 0
    for draft in drafts:
        if isinstance(draft, ImportProblem):
            report.problems.append(draft)
            continue
        batch.append(draft)
        size += draft.size
        if len(batch) == BATCH or size > BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


class _Run:
    def __init__(self, report: Report, applier: Applier) -> None:
        self.report, self.applier = report, applier
        self.seen = Seen()

    def take(self, drafts: Sequence[Draft]) -> None:
        decisions = []
        for decision in plan(drafts):
            if isinstance(decision, Decision):
                decisions.append(decision)
            else:
                self.report.problems.append(decision)
        self._compare([each for each in decisions if each.action == Action.CREATE])
        if self.report.dry_run:
            self._note_domains(decisions)
        else:
            self.applier.apply(decisions)
        for decision in decisions:
            self._report(decision)

    def _compare(self, new: Sequence[Decision]) -> None:
        drafts = [decision.draft for decision in new]
        stored = alike(drafts, thorough=self.report.dry_run)
        for draft in drafts:
            for text in self.seen.notices(draft) or filter(
                None, [stored.get(draft.source_path)]
            ):
                self.report.notices.append(Notice(draft.source_path, text))

    def _note_domains(self, decisions: Sequence[Decision]) -> None:
        names = [domain_of(each.draft, self.applier.options) for each in decisions]
        known = self.report.new_domains
        known += [n for n in missing_domains(filter(None, names)) if n not in known]

    def _report(self, decision: Decision) -> None:
        path = decision.draft.source_path
        if path in self.applier.problems:
            self.report.problems.append(self.applier.problems[path])
            return
        item_id = decision.item_id or self.applier.ids.get(path)
        outcome = Outcome(path, decision.action, decision.draft.title, item_id)
        self.report.outcomes.append(outcome)
        self.report.notices += [Notice(path, text) for text in decision.notices]
