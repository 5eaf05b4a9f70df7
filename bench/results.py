"""Tables for people, JSON for comparison."""

import json
import os
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from bench.settings import RESULTS

Table = Mapping[str, Mapping[str, float | str]]


def show(title: str, table: Table) -> None:
    """Rows by name; the first row's columns for all."""
    columns = list(next(iter(table.values()), {}))
    first = max(map(len, [title, *table]))
    widths = [max(len(name), 9) for name in columns]
    print()
    print(title.ljust(first), *map(str.rjust, columns, widths), sep="  ")
    for name, row in table.items():
        cells = [_cell(row.get(column, "")) for column in columns]
        print(name.ljust(first), *map(str.rjust, cells, widths), sep="  ")


def _cell(value: float | str) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def write(name: str, figures: Mapping[str, Any]) -> None:
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{name}.json"
    when = datetime.now(UTC).isoformat(timespec="seconds")
    load = os.getloadavg()[0]
    kept = {"at": when, "commit": _commit(), "load": load, **figures}
    path.write_text(json.dumps(kept, indent=1))
    print(f"\nWritten to {path.relative_to(RESULTS.parents[1])} (load {load:.1f})")


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip()
