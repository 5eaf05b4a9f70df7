import json
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError
from django.utils import timezone
from tqdm import tqdm

from accounts.viewer import Viewer
from core.errors import HubError
from kb.enums import ReviewStatus
from kb.importers.base import DEFAULT_SOURCE, Options
from kb.importers.csv_qa import COLUMNS
from kb.importers.fields import STATES
from kb.importers.plan import Action
from kb.importers.service import Report, import_files

_SHOWN = 20
_WOULD = {
    Action.CREATE: "would create",
    Action.CHANGE: "would change",
    Action.SKIP: "would skip",
}


def _path(text: str) -> Path:
    # Path("") is the present folder: an unset variable of a shell must not import it.
    if not text.strip():
        raise ArgumentTypeError("a PATH must not be empty")
    return Path(text)


class Command(BaseCommand):
    help = "Import Markdown files and CSV tables of questions and answers."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", metavar="PATH", type=_path)
        parser.add_argument(
            "--state",
            choices=[state.value for state in STATES],
            default=ReviewStatus.APPROVED.value,
            help="of new items whose file says none (default: approved)",
        )
        parser.add_argument(
            "--source",
            default=DEFAULT_SOURCE,
            help="name of this import; the same name finds its items again",
        )
        parser.add_argument(
            "--domain", default="", help="of new items whose file says none"
        )
        parser.add_argument(
            "--columns",
            default="",
            metavar="FIELD=COLUMN,…",
            help="which columns of a table hold which field, such as "
            "question=Frage,answer=Antwort",
        )
        parser.add_argument("--dry-run", action="store_true", help="write nothing")
        parser.add_argument("--json", action="store_true", help="report as JSON")
        parser.add_argument("--quiet", action="store_true", help="report problems only")

    def handle(self, *args: Any, **options: Any) -> None:
        quiet = options["quiet"] or options["verbosity"] == 0
        try:
            with _bar(shown=not quiet and sys.stderr.isatty()) as progress:
                report = import_files(
                    Viewer.system(),
                    options["paths"],
                    _options(options),
                    timezone.now(),
                    progress,
                )
        except HubError as error:
            raise CommandError(error.message) from error
        except OperationalError as error:
            raise CommandError(
                f"The database cannot be used: {str(error).partition(chr(10))[0]}. "
                "What was imported before this stays; run the import again."
            ) from error
        if options["json"]:
            self.stdout.write(json.dumps(report.as_dict(), default=str, indent=2))
        elif not quiet:
            self._tell(report)
        for problem in report.problems:
            self.stderr.write(str(problem))
        if report.problems:
            sys.exit(1)

    def _tell(self, report: Report) -> None:
        if report.dry_run:
            for outcome in report.outcomes:
                self.stdout.write(f"{_WOULD[outcome.action]} {outcome.path}")
            for name in report.new_domains:
                self.stdout.write(f"would create the domain {name}")
        self._tell_notices([str(notice) for notice in report.notices], report.dry_run)
        left = (
            f", {report.ignored} of other formats left alone" if report.ignored else ""
        )
        failed = f", {len(report.problems)} failed" if report.problems else ""
        dry = "Dry run: " if report.dry_run else ""
        self.stdout.write(
            f"{dry}{report.created} created, {report.changed} changed, "
            f"{report.skipped} skipped{failed}{left}"
        )

    def _tell_notices(self, notices: Sequence[str], everything: bool) -> None:
        shown = notices if everything else notices[:_SHOWN]
        for notice in shown:
            self.stdout.write(f"note: {notice}")
        if len(notices) > len(shown):
            more = len(notices) - len(shown)
            self.stdout.write(f"note: {more} more, all of them with --json")


def _options(given: dict[str, Any]) -> Options:
    return Options(
        source=given["source"],
        state=ReviewStatus(given["state"]),
        domain=given["domain"],
        columns=_columns(given["columns"]),
        dry_run=given["dry_run"],
    )


def _columns(text: str) -> dict[str, str]:
    columns = {}
    for pair in filter(None, text.split(",")):
        name, equals, column = (part.strip() for part in pair.partition("="))
        if not equals or not column or name not in COLUMNS:
            raise CommandError(
                f"--columns takes FIELD=COLUMN, not {pair!r}. "
                f"Fields: {', '.join(COLUMNS)}."
            )
        columns[name] = column
    return columns


@contextmanager
def _bar(*, shown: bool) -> Iterator[Callable[[int, int], None]]:
    with tqdm(unit="file", disable=not shown, leave=False, file=sys.stderr) as bar:

        def progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield progress
