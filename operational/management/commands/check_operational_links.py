import sys
from typing import Any

from django.core.management.base import BaseCommand

from operational.domain.links import broken


class Command(BaseCommand):
    help = "Report broken links and references of the graph; exit 1 if there are any."

    def handle(self, *args: Any, **options: Any) -> None:
        found = broken()
        for each in found:
            self.stdout.write(str(each))
        if found:
            self.stderr.write(f"{len(found)} broken.")
            sys.exit(1)
        self.stdout.write("No broken links or references.")
