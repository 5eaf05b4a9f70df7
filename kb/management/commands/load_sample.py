from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError
from django.utils import timezone

from core.errors import HubError
from kb.sample.load import load


class Command(BaseCommand):
    help = (
        "Load the sample: items, people without passwords, and bids of an invented "
        "company. What is there already is left as it is."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            loaded = load(timezone.now())
        except HubError as error:
            raise CommandError(error.message) from error
        except OperationalError as error:
            raise CommandError(
                f"The database cannot be used: {str(error).partition(chr(10))[0]}. "
                "Nothing was loaded."
            ) from error
        if options["verbosity"] == 0:
            return
        if not loaded:
            self.stdout.write("The sample is loaded already; nothing was changed.")
            return
        self.stdout.write(
            f"Sample loaded: {loaded.items} items, {loaded.domains} domains, "
            f"{loaded.people} people, {loaded.bids} bids."
        )
