"""What the commands of operational memory share: failures are one line on stderr."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError

from core.errors import HubError


class HubCommand(BaseCommand):
    """Commands implement `run`; what it raises is told without a trace."""

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self.run(**options)
        except HubError as error:
            raise CommandError(error.message) from error
        except OperationalError as error:
            reason = str(error).partition("\n")[0]
            raise CommandError(
                f"The database cannot be used: {reason}. Nothing was changed."
            ) from error

    def run(self, **options: Any) -> None:
        raise NotImplementedError
