#!/usr/bin/env python
"""Command line of the hub. With no DATABASE_URL, a command that needs the database
uses the hub's own, started for its duration if no hub is running (config.onebox)."""

import os
import sys
from pathlib import Path


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        from config.onebox import command  # noqa: PLC0415

        command.run(sys.argv)
    except ModuleNotFoundError as error:
        if error.name is None or _is_ours(error.name):
            raise
        sys.exit(
            f"The Python package {error.name} is missing: install requirements.txt "
            "(`make run` does)."
        )


def _is_ours(module: str) -> bool:
    return (Path(__file__).resolve().parent / module.partition(".")[0]).exists()


if __name__ == "__main__":
    main()
