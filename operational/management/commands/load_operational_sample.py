from typing import Any

from operational.management.base import HubCommand
from operational.sample.load import load


class Command(HubCommand):
    help = "Load the sample of operational memory into a hub that has none of its own."

    def run(self, **options: Any) -> None:
        count = load()
        if options["verbosity"]:
            self.stdout.write(
                f"Operational sample loaded: {count} entities."
                if count
                else "There are entities already; nothing was changed."
            )
