"""People are made once, whatever the case in which their name is typed."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError
from django.test import Client
from django.urls import reverse

from accounts.enums import Role
from accounts.models import User

pytestmark = pytest.mark.django_db


def create(name: str) -> str:
    out = StringIO()
    call_command("create_user", name, "--role", "editor", stdout=out)
    return out.getvalue().strip()


def test_a_user_is_made_with_a_password_that_is_shown_once() -> None:
    password = create("vi")
    made = User.objects.get()
    assert (made.username, made.role) == ("vi", Role.EDITOR)
    assert made.check_password(password)


@pytest.mark.parametrize("again", ["vi", "VI", "Vi", "ｖｉ"])
def test_a_second_user_of_the_same_name_is_refused(again: str) -> None:
    create("vi")
    with pytest.raises(CommandError, match="already"):
        create(again)
    assert User.objects.count() == 1


def test_the_database_refuses_it_too() -> None:
    create("vi")
    with pytest.raises(IntegrityError):
        User.objects.create_user("VI")


def test_admin_names_it_in_the_form(client: Client, alice: User) -> None:
    client.force_login(alice)
    page = client.post(
        reverse("admin:accounts_user_add"),
        {
            "username": "ALICE",
            "role": "editor",
            "usable_password": "true",
            "password1": "a-long-pass-9",
            "password2": "a-long-pass-9",
        },
    )
    assert page.status_code == 200
    assert "already" in str(page.context["adminform"].form.errors)
    other = User.objects.create_user("bo", role=Role.EDITOR)
    page = client.post(
        reverse("admin:accounts_user_change", args=[other.pk]),
        {"username": "Alice", "role": "editor"},
    )
    assert "already" in str(page.context["adminform"].form.errors)


def test_a_name_keeps_its_own_case() -> None:
    create("McVi")
    assert User.objects.get().username == "McVi"
