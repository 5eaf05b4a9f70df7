"""How often one gets mail, and the way out that works signed out."""

import pytest
from django.test import Client

from accounts.mail import unsubscribe_path
from accounts.models import User

pytestmark = pytest.mark.django_db


def digest(user: User) -> str:
    user.refresh_from_db()
    return user.digest


def test_the_choice_is_kept(client: Client, bob: User) -> None:
    client.force_login(bob)
    assert client.post("/settings/mail", {"digest": "daily"})["Location"] == (
        "/settings/mail"
    )
    assert digest(bob) == "daily"
    body = client.get("/settings/mail").content.decode()
    assert 'value="daily" checked' in body
    assert client.post("/settings/mail", {"digest": "hourly"}).status_code == 400
    assert digest(bob) == "daily"


def test_settings_are_for_those_who_signed_in(client: Client) -> None:
    assert client.get("/settings/mail")["Location"].startswith("/sign-in?next=")
    assert client.post("/settings/mail", {"digest": "off"}).status_code == 302


def test_the_link_asks_first_and_then_stops_the_mails(bob: User) -> None:
    stranger = Client(enforce_csrf_checks=True)
    path = unsubscribe_path(bob.pk)
    assert "Stop these mails" in stranger.get(path).content.decode()
    assert digest(bob) == "weekly"
    assert "No more mail" in stranger.post(path).content.decode()
    assert digest(bob) == "off"
    assert "No more mail" in stranger.get(path).content.decode()


def test_mail_programs_stop_them_with_one_click(bob: User) -> None:
    sent = {"List-Unsubscribe": "One-Click"}
    answered = Client(enforce_csrf_checks=True).post(unsubscribe_path(bob.pk), sent)
    assert (answered.status_code, digest(bob)) == (200, "off")


@pytest.mark.parametrize("change", ["x", ":", "%00", "é"])
def test_a_link_that_was_changed_does_nothing(
    change: str, client: Client, bob: User
) -> None:
    path = unsubscribe_path(bob.pk)
    assert client.post(path + change).status_code == 404
    assert client.post("/mail/stop/" + change).status_code == 404
    assert digest(bob) == "weekly"


def test_a_link_of_somebody_who_is_gone_does_nothing(client: Client) -> None:
    assert client.get(unsubscribe_path(999)).status_code == 404
