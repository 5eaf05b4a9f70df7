from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError

from core.errors import HubError
from operational.sample.load import load


class Command(BaseCommand):
    help = "Load the sample of operational memory into a hub that has none of its own."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            count = load()
        except HubError as error:
            raise CommandError(error.message) from error
        except OperationalError as error:
            raise CommandError(
                f"The database cannot be used: {str(error).partition(chr(10))[0]}. "
                "Nothing was loaded."
            ) from error
        if options["verbosity"]:
            self.stdout.write(
                f"Operational sample loaded: {count} entities."
                if count
                else "There are entities already; nothing was changed."
            )
