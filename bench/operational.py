"""Operational matching beside peers: `python -m bench.operational [quality] [scale]`.

Real documented failures are imported into a scratch database by the ordinary import and
asked through `operational.service`. With `scale`, fifty thousand of them.
"""

import json
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles
from typing import Any

from django.db import connection

from accounts.viewer import Viewer
from bench import operational_peers as peers
from bench import results
from bench.corpora import DATA
from bench.database import scratch
from bench.operational_peers import Answer, Ask
from operational.domain import index
from operational.importers.service import import_paths
from operational.service import OperationalQuery, operational_search

FOLDER = DATA / "ops"
SCALE = 50_000
LIMIT = 0.05  # of false matches on the queries without an answer


@dataclass(frozen=True)
class Query:
    """`right` is empty where nothing is: then silence is the answer."""

    text: str
    right: frozenset[str]
    kind: str


def main(wanted: Sequence[str]) -> None:
    parts = wanted or ("quality",)
    figures: dict[str, Any] = {}
    with scratch("operational"):
        if "quality" in parts:
            figures["quality"] = _quality()
        if "scale" in parts:
            figures["scale"] = _scale()
    results.write("operational", figures)


def queries() -> list[Query]:
    rows = _lines(FOLDER / "queries_dev.jsonl")
    return [
        Query(
            row["query"],
            frozenset(filter(None, [row["expected"], *row.get("also", [])])),
            row["kind"],
        )
        for row in rows
    ]


def _quality() -> dict[str, Any]:

    records = list(_lines(FOLDER / "failures.jsonl"))
    asked = queries()
    fill([FOLDER / "failures.jsonl"])
    table = {"ours": _measured(ours(), asked)}
    for name, ask in peers.all_of(records).items():
        table[name] = _measured(ask, asked)
    results.show("operational matching", table)
    bands = _bands(asked)
    results.show("confidence", bands)
    apart = _left_out(records, asked)
    results.show("without the project's own records", apart)
    return {"peers": table, "bands": bands, "left out": apart}


def _measured(ask: Ask, asked: Sequence[Query]) -> dict[str, float]:
    return measure([(query, *_timed(ask, query.text)) for query in asked])


def measure(rows: Sequence[tuple[Query, Answer, float]]) -> dict[str, float]:
    with_answer = [(q, a) for q, a, _ in rows if q.right]
    nulls = sorted((a.score for q, a, _ in rows if not q.right), reverse=True)
    allowed = int(LIMIT * len(nulls))
    floor = nulls[allowed] if allowed < len(nulls) else -1.0
    right = [bool(a.slugs) and a.slugs[0] in q.right for q, a in with_answer]
    sure = [a.score > floor for _, a in with_answer]
    kept = [both for both in zip(right, sure, strict=True) if all(both)]
    among = [bool(q.right & set(a.slugs[:5])) for q, a in with_answer]
    cuts = quantiles([ms for _, _, ms in rows], n=20)
    return {
        "top-1": sum(right) / len(right),
        "recall@5": sum(among) / len(among),
        "at 5 % false": len(kept) / len(right),
        "p50 ms": cuts[9],
        "p95 ms": cuts[18],
    }


def ours(floor: int = 0) -> Ask:
    viewer = Viewer.system()

    def ask(text: str) -> Answer:
        found = operational_search(OperationalQuery.of(text), viewer, floor=floor)
        if found.matched is None:
            return Answer([], 0.0)
        others = [each.slug for each in found.additional]
        return Answer([found.matched.slug, *others], found.confidence)

    ask("warm")
    return ask


def _bands(asked: Sequence[Query]) -> dict[str, dict[str, float]]:
    """How often what was answered at all is right, by confidence."""
    ask = ours(floor=40)
    rows = [(query, ask(query.text)) for query in asked]
    nulls = [a for q, a in rows if not q.right]
    table: dict[str, dict[str, float]] = {}
    for low, high in ((40, 59), (60, 80), (81, 91), (92, 100)):
        inside = [(q, a) for q, a in rows if low <= a.score <= high]
        right = sum(a.slugs[0] in q.right for q, a in inside)
        table[f"{low}-{high}"] = {
            "answers": len(inside),
            "right": right / len(inside) if inside else 0.0,
        }
    false = sum(bool(a.slugs) for a in nulls)
    table["nulls"] = {"answers": false, "right": 1 - false / len(nulls)}
    return table


def _left_out(
    records: Sequence[dict[str, Any]], asked: Sequence[Query]
) -> dict[str, dict[str, float]]:
    """Each project's queries against a graph without its records: other projects'
    errors, for which silence is right."""

    table: dict[str, dict[str, float]] = {}
    for name in sorted({row["slug"].partition("-")[0] for row in records}):
        mine = [q for q in asked if any(s.startswith(f"{name}-") for s in q.right)]
        if not mine:
            continue
        rest = [row for row in records if not row["slug"].startswith(f"{name}-")]
        with _file(rest) as path:
            fill([path])
        ask = ours(floor=40)
        false = sum(bool(ask(query.text).slugs) for query in mine)
        table[name] = {"queries": len(mine), "false": false / len(mine)}
    return table


def _scale() -> dict[str, dict[str, float]]:
    """The same queries among 1,250 and among fifty thousand."""
    records = list(_lines(FOLDER / "failures.jsonl"))
    table = {}
    for size in (len(records), SCALE):
        with _file(_grown(records, size)) as path:
            started = time.perf_counter()
            fill([path])
            imported = time.perf_counter() - started
        started = time.perf_counter()
        ask = ours()
        loaded = time.perf_counter() - started
        texts = [query.text for query in queries()]
        for text in texts:
            ask(text)
        cuts = quantiles([_timed(ask, text)[1] for text in texts * 3], n=20)
        table[f"{size} entities"] = {
            "import s": imported,
            "load s": loaded,
            "p50 ms": cuts[9],
            "p95 ms": cuts[18],
        }
    results.show("scale", table)
    return table


def _grown(records: Sequence[dict[str, Any]], size: int) -> Iterator[dict[str, Any]]:
    """The records, then variants of them: other messages from the same words."""
    words = [w for row in records for text in row["symptoms"] for w in text.split()]
    for place in range(size):
        row, copy = records[place % len(records)], place // len(records)
        if not copy:
            yield row
            continue

        def varied(text: str, place: int = place, copy: int = copy) -> str:
            said = text.split()
            said[place % len(said)] = words[(place * 7919 + copy) % len(words)]
            return " ".join([*said, f"module{copy}"])

        yield {
            **row,
            "slug": f"{row['slug']}-v{copy}",
            "title": varied(row["title"]),
            "symptoms": [varied(text) for text in row["symptoms"]],
            "source": "",
        }


def fill(paths: Sequence[Path]) -> None:
    """The graph holds what these files say and nothing else."""

    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE operational_entity, operational_graphversion CASCADE")
    index.forget()
    report = import_paths(Viewer.system(), paths)
    for problem in report.problems:
        print(f"not imported: {problem}")
    with connection.cursor() as cursor:
        cursor.execute("VACUUM (ANALYZE)")


@contextmanager
def _file(records: Iterable[dict[str, Any]]) -> Iterator[Path]:
    """Records as a file, for as long as it is needed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "records.jsonl")
        with path.open("w", encoding="utf-8") as file:
            file.writelines(f"{json.dumps(row)}\n" for row in records)
        yield path


def _timed(ask: Ask, text: str) -> tuple[Answer, float]:
    started = time.perf_counter()
    answer = ask(text)
    return answer, (time.perf_counter() - started) * 1000


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


if __name__ == "__main__":
    main(sys.argv[1:])
