from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from kb.domain import jobs


class Command(BaseCommand):
    help = "Make approved items with a passed review date overdue: the nightly job."

    def handle(self, *args: Any, **options: Any) -> None:
        run = jobs.flag_overdue(timezone.now(), again=True)
        if run.ran is jobs.Ran.ELSEWHERE:
            raise CommandError("Another process does this now. Nothing was done here.")
        self.stdout.write(f"{run.counts['flagged']} items are now overdue.")
