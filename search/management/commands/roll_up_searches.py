from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from kb.domain import jobs
from search import rollup


class Command(BaseCommand):
    help = "Keep the counts of each week of searches: the nightly job."

    def handle(self, *args: Any, **options: Any) -> None:
        run = rollup.run(timezone.now(), again=True)
        if run.ran is jobs.Ran.ELSEWHERE:
            raise CommandError("Another process does this now. Nothing was done here.")
        told = (f"{n} {name.replace('_', ' ')}" for name, n in run.counts.items())
        self.stdout.write(f"{', '.join(told)}.")
