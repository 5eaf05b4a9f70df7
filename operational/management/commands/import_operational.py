import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from accounts.viewer import Viewer
from operational.importers.service import Report, import_paths
from operational.management.base import HubCommand


class Command(HubCommand):
    help = (
        "Import failures, patterns, lessons, pathways and the rest from Markdown "
        "(front matter, runbooks, error pages, post-mortems) and JSON Lines."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", metavar="PATH", type=Path)
        parser.add_argument("--dry-run", action="store_true", help="write nothing")
        parser.add_argument("--quiet", action="store_true", help="report problems only")

    def run(self, **options: Any) -> None:
        report = import_paths(
            Viewer.system(), options["paths"], dry_run=options["dry_run"]
        )
        if not options["quiet"]:
            self._tell(report)
        for problem in report.problems:
            self.stderr.write(str(problem))
        if report.problems:
            sys.exit(1)

    def _tell(self, report: Report) -> None:
        if report.dry_run:
            for word, refs in (("create", report.created), ("change", report.changed)):
                for ref in refs:
                    self.stdout.write(f"would {word} {ref}")
        dry = "Dry run: " if report.dry_run else ""
        failed = f", {len(report.problems)} problems" if report.problems else ""
        left = f", {report.ignored} other files left alone" if report.ignored else ""
        self.stdout.write(
            f"{dry}{len(report.created)} created, {len(report.changed)} changed, "
            f"{len(report.unchanged)} unchanged{failed}{left}"
        )
