from argparse import ArgumentTypeError
from datetime import UTC, date, datetime, time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from core.errors import HubError
from kb import digests
from kb.domain import jobs
from kb.enums import DigestKind

# When the schedule sends them.
_AT = time(8, tzinfo=UTC)
# A run of a far day would be the last one for `/readyz` from then on.
_FIRST, _LAST = 2000, 2100


class Command(BaseCommand):
    help = (
        "Send the weekly digests that have not gone out: the job of Mondays. "
        "Nobody gets one twice."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--date",
            type=_date,
            help="as on this day (2026-03-31), today unless given; "
            "a weekly digest belongs to the Monday of its week",
        )
        parser.add_argument(
            "--daily",
            action="store_true",
            help="what is due on that day, to those who asked for it",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        on: date | None = options["date"]
        now = datetime.combine(on, _AT) if on else timezone.now()
        kind = DigestKind.DAILY if options["daily"] else DigestKind.WEEKLY
        try:
            run = digests.send(kind, now, again=True)
        except HubError as error:
            raise CommandError(f"{error.message} Run it again.") from error
        if run.ran is jobs.Ran.ELSEWHERE:
            raise CommandError("Another process does this now. Nothing was done here.")
        told = (f"{n} {name.replace('_', ' ')}" for name, n in run.counts.items())
        self.stdout.write(f"{', '.join(told)}.")


def _date(text: str) -> date:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"{text} is no date such as 2026-03-31.") from None
    if not _FIRST <= day.year <= _LAST:
        raise ArgumentTypeError(f"{text} is too far away.")
    return day
