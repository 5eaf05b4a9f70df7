import secrets
from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from accounts.enums import Focus, Role
from accounts.models import User


class Command(BaseCommand):
    help = "Create a user and print the password, once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--role", choices=Role.values, required=True)
        parser.add_argument("--focus", choices=Focus.values, default="")

    def handle(self, *args: Any, **options: Any) -> None:
        taken = User.objects.filter(username__iexact=options["name"]).first()
        if taken:
            raise CommandError(f"There is already a user named {taken.username}.")
        password = secrets.token_urlsafe(12)
        user = User(
            username=options["name"],
            role=options["role"],
            primary_focus=options["focus"],
        )
        user.set_password(password)
        try:
            user.full_clean()
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        user.save()
        self.stdout.write(password)
