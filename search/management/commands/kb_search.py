"""Search from a terminal, for operators."""

import json
import os
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db import DatabaseError, InterfaceError

from accounts.viewer import Viewer
from kb.filters import ItemFilters
from kb.models import ContentItem
from search import log
from search.cli import (
    Style,
    Summaries,
    first_line,
    in_one_line,
    quietly,
    require_production,
    table,
)
from search.enums import Source
from search.present import answer
from search.service import search
from search.types import SearchQuery, SearchResults

DEFAULT_THRESHOLD = 0.25


class Command(BaseCommand):
    help = "Search the library."
    # What is missing is told below, in one line.
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("query")
        parser.add_argument("--limit", help="at most so many (20)")
        parser.add_argument("--domain", action="append", default=[], help="any case")
        parser.add_argument("--threshold", default=DEFAULT_THRESHOLD, help="(0.25)")
        parser.add_argument("--mode", help="hybrid or keyword (hybrid)")
        parser.add_argument("--full", action="store_true", help="with summaries")
        parser.add_argument("--json", action="store_true")
        parser.add_argument("--explain", action="store_true", help="with score parts")
        parser.add_argument("--env", choices=["prod"], help="only on production")
        group = parser.add_mutually_exclusive_group()
        group.add_argument("--include-superseded", action="store_true", help="(yes)")
        group.add_argument("--exclude-superseded", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        with quietly(), in_one_line():
            if options["env"] == "prod":
                require_production()
            results = _search(options)
            log.record(log.Entry.of(results), Source.CLI, Viewer.system())
            summaries = self._summaries(results, options) if options["full"] else None
        self._write(results, summaries, options)

    def _summaries(
        self, results: SearchResults, options: dict[str, Any]
    ) -> Summaries | None:
        try:
            found = ContentItem.objects.filter(pk__in=[hit.id for hit in results.hits])
            return dict(found.values_list("pk", "summary_data"))
        except (DatabaseError, InterfaceError) as error:
            if not options["json"]:
                self.stderr.write(f"Summaries are missing: {first_line(error)}")
            return None

    def _write(
        self,
        results: SearchResults,
        summaries: Summaries | None,
        options: dict[str, Any],
    ) -> None:
        if options["json"]:
            found = answer(results)
            if options["full"]:
                for hit, shown in zip(results.hits, found["results"], strict=True):
                    shown["summary_data"] = (summaries or {}).get(hit.id)
            self.stdout.write(json.dumps(found, default=str, indent=2))
            return
        colour = self.stdout.isatty() and not os.environ.get("NO_COLOR")
        text = table(
            results,
            Style.of(colour=colour),
            explain=options["explain"],
            summaries=summaries,
        )
        encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        self.stdout.write(text.encode(encoding, "replace").decode(encoding))


def _search(options: dict[str, Any]) -> SearchResults:
    chosen = {
        "domain": options["domain"],
        "include_superseded": not options["exclude_superseded"],
    }
    query = SearchQuery.of(
        options["query"],
        filters=ItemFilters.from_params(chosen),
        threshold=options["threshold"],
        limit=options["limit"],
        mode=options["mode"],
    )
    return search(query, Viewer.system())
