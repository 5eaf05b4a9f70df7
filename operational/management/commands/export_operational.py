from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from operational.exporters import markdown
from operational.management.base import HubCommand


class Command(HubCommand):
    help = "Write the graph as Markdown that `import_operational` reads again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", metavar="FOLDER", type=Path)

    def run(self, **options: Any) -> None:
        folder: Path = options["folder"]
        try:
            count = markdown.write(folder)
        except OSError as error:
            raise CommandError(
                f"{folder} cannot be written: {error.strerror}."
            ) from error
        self.stdout.write(f"{count} entities written to {folder}.")
