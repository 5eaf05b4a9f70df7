from typing import Any

from django.utils import timezone

from operational.domain import misses
from operational.management.base import HubCommand


class Command(HubCommand):
    help = (
        f"Delete what was kept of pastes that nothing fitted, {misses.KEPT_DAYS} days "
        "after the last time: the nightly job."
    )

    def run(self, **options: Any) -> None:
        count = misses.forget_old(timezone.now())
        self.stdout.write(f"{count} pastes deleted.")
