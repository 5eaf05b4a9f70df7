from typing import Any

from django.utils import timezone

from operational.domain import fixes
from operational.management.base import HubCommand


class Command(HubCommand):
    help = (
        "Mark verified fixes that nobody confirmed for a year, or that failed twice "
        "since, as stale: the nightly job."
    )

    def run(self, **options: Any) -> None:
        count = fixes.find_stale(timezone.now())
        self.stdout.write(f"{count} fixes are now stale.")
