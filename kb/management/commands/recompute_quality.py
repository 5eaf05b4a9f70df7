from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from kb.domain import jobs


class Command(BaseCommand):
    help = (
        "Recompute the quality scores of all live items: the nightly job, now. May be "
        "stopped and started again."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        run = jobs.recompute_quality(timezone.now(), again=True)
        if run.ran is jobs.Ran.ELSEWHERE:
            raise CommandError("Another process does this now. Nothing was done here.")
        counts = run.counts
        self.stdout.write(f"{counts['items']} items, {counts['changed']} changed.")
