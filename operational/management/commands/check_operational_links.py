import sys
from typing import Any

from operational.domain.links import broken
from operational.management.base import HubCommand


class Command(HubCommand):
    help = "Report broken links and references of the graph; exit 1 if there are any."

    def run(self, **options: Any) -> None:
        found = broken()
        for each in found:
            self.stdout.write(str(each))
        if found:
            self.stderr.write(f"{len(found)} broken.")
            sys.exit(1)
        self.stdout.write("No broken links or references.")
