import sys
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from config.onebox import hub, web
from config.onebox.errors import OneboxError


def _whole(text: str, low: int, high: int, what: str) -> int:
    if not (text.isdecimal() and low <= int(text) <= high):
        raise ArgumentTypeError(f"{what} from {low} to {high}, not {text!r}")
    return int(text)


def _port(text: str) -> int:
    return _whole(text, 0, 65535, "a port is a number")


def _workers(text: str) -> int:
    return _whole(text, 1, 64, "web processes are a number")


class Command(BaseCommand):
    help = (
        "Serve the hub on this machine: PostgreSQL, Valkey, web, worker and schedule, "
        "until Ctrl-C."
    )
    requires_migrations_checks = False

    def create_parser(
        self, prog_name: str, subcommand: str, **options: Any
    ) -> CommandParser:
        # "--data" would be taken for --data-dir here, and by nobody before.
        return super().create_parser(
            prog_name, subcommand, allow_abbrev=False, **options
        )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=_port, default=8000, help="(8000)")
        parser.add_argument(
            "--host",
            default="127.0.0.1",
            help="the address to listen on (127.0.0.1); 0.0.0.0 for all of the "
            "machine's, with the names that people use in ALLOWED_HOSTS",
        )
        parser.add_argument(
            "--data-dir",
            help="the data folder (HUB_DATA_DIR, else var/ in the project); "
            "every command takes this option",
        )
        parser.add_argument(
            "--no-sample",
            action="store_true",
            help="leave an empty library empty",
        )
        parser.add_argument(
            "--workers", type=_workers, default=1, help="how many web processes (1)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        chosen = web.Options(
            host=options["host"],
            port=options["port"],
            web_processes=options["workers"],
            sample=not options["no_sample"],
        )
        try:
            hub.run(chosen, self._say)
        except OneboxError as error:
            self.stderr.write(str(error))
            sys.exit(1)

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
