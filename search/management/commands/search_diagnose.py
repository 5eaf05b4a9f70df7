import json
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from accounts.viewer import Viewer
from search.cli import in_one_line, quietly
from search.diagnose import Diagnosis, Expected, Report, diagnose
from search.labelled import read


class Command(BaseCommand):
    help = (
        "Run your own labelled queries and say how well they are answered. FILE is CSV "
        "or JSON Lines with query, expected (an item's id, title or source path) and, "
        "if wanted, filters by their names."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--mode", help="hybrid or keyword (hybrid)")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        with quietly(), in_one_line():
            labelled = read(options["file"])
            report = diagnose(
                labelled, Viewer.system(), timezone.now(), options["mode"]
            )
        if options["json"]:
            self.stdout.write(json.dumps(report.to_json(), indent=2))
        else:
            self.stdout.write("\n".join(_lines(report)))


def _lines(report: Report) -> Iterator[str]:
    for each in report.queries:
        yield from _query_lines(each)
    whole = report.to_json()
    yield ""
    yield (
        f"{whole['queries']} queries: nDCG@10 {whole['ndcg_at_10']:.3f}, "
        f"recall@100 {whole['recall_at_100']:.3f}, MRR {whole['mrr']:.3f}"
    )
    legs = ", ".join(f"{name} {count}" for name, count in report.found_by.items())
    yield f"Expected items found by: {legs}"
    for reason, count in report.lost.most_common():
        yield f"Lost {count}: {reason}"


def _query_lines(found: Diagnosis) -> Iterator[str]:
    filters = "; ".join(f"{k}={'|'.join(v)}" for k, v in found.filters.items())
    yield f"{found.query}{f'  [{filters}]' if filters else ''}  ({found.total} matches)"
    for each in found.expected:
        yield f"  {_place(each)}  {each.label}  {_how(each)}"


def _place(each: Expected) -> str:
    return f"{each.rank:>4}" if each.rank else "lost"


def _how(each: Expected) -> str:
    if each.lost or each.legs is None:
        return each.lost
    places = {
        "nearest": each.legs.nearest,
        "words": each.legs.words,
        "pin": each.legs.pin,
    }
    return ", ".join(f"{k} {v}" for k, v in places.items() if v is not None)
