from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts import tokens
from accounts.models import User


class Command(BaseCommand):
    help = "Create an access token for a user and print it, once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="the user's name")
        parser.add_argument("--label", default="command line", help="what it is for")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["name"], is_active=True).first()
        if user is None:
            raise CommandError(
                f"There is no active user named {options['name']}. "
                "Create one with: manage.py create_user NAME --role ROLE"
            )
        _, secret = tokens.create(user, options["label"][:80])
        self.stdout.write(secret)
