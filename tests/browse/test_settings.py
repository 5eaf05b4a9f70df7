"""`/settings`: one's own choices and tokens."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts import tokens
from accounts.models import AccessToken, User
from tests.browse.pages import HTMX, text

pytestmark = pytest.mark.django_db


def test_a_token_is_shown_once_and_works(as_reader: Client, charlie: User) -> None:
    made = as_reader.post("/settings/tokens", {"name": " My  laptop "})
    [secret] = re.findall(r"kh_[\w-]{43}", made.content.decode())
    assert "no-store" in made["Cache-Control"]
    found = tokens.find(secret, timezone.now())
    assert found
    assert (found.user, found.name) == (charlie, "My laptop")
    page = as_reader.get("/settings")
    assert "My laptop" in text(page)
    assert secret not in page.content.decode()


@pytest.mark.parametrize("name", ["", "  ", "x" * 81])
def test_a_token_needs_a_name(name: str, as_reader: Client) -> None:
    answer = as_reader.post("/settings/tokens", {"name": name})
    assert answer.status_code == 422
    assert "Give it a name of 1 to 80 characters." in text(answer)
    assert not AccessToken.objects.exists()


def test_a_revoked_token_is_gone_at_once(as_reader: Client, charlie: User) -> None:
    token, secret = tokens.create(charlie, "Old laptop")
    said = as_reader.post(f"/settings/tokens/{token.pk}/revoke", follow=True)
    assert "Token “Old laptop” revoked." in text(said)
    assert tokens.find(secret, timezone.now() + timedelta(seconds=1)) is None


def test_nobody_revokes_or_sees_the_tokens_of_another(
    as_editor: Client, charlie: User
) -> None:
    token, secret = tokens.create(charlie, "Of Charlie")
    assert as_editor.post(f"/settings/tokens/{token.pk}/revoke").status_code == 404
    assert "Of Charlie" not in text(as_editor.get("/settings"))
    assert tokens.find(secret, timezone.now())


def test_appearance_is_kept_in_the_browser(as_reader: Client) -> None:
    as_reader.post(
        "/settings/look", {"theme": "dark", "view": "rows", "shortcuts": "off"}
    )
    page = as_reader.get("/settings").content.decode()
    assert 'data-theme="dark"' in page
    assert 'data-shortcuts="off"' in page
    as_reader.post("/settings/look", {"theme": "system", "shortcuts": ["off", "on"]})
    page = as_reader.get("/settings").content.decode()
    assert "data-theme=" not in page
    assert "data-shortcuts=" not in page
    assert as_reader.cookies["kb-view-mode"].value == "rows"


def test_htmx_is_told_that_it_was_saved(as_reader: Client) -> None:
    answer = as_reader.post("/settings/focus", {"primary_focus": ""}, headers=HTMX)
    assert answer.status_code == 204
    assert "toast" in answer["HX-Trigger"]


def test_an_unknown_focus_is_refused(as_reader: Client, charlie: User) -> None:
    answer = as_reader.post("/settings/focus", {"primary_focus": "sales"})
    assert answer.status_code == 400
    charlie.refresh_from_db()
    assert charlie.primary_focus == ""


@pytest.mark.parametrize("way", ["https://example.org/", "//example.org", "\\\\x"])
def test_the_way_back_never_leaves_the_hub(way: str, as_reader: Client) -> None:
    answer = as_reader.post("/settings/focus", {"primary_focus": "", "next": way})
    assert answer["Location"] == "/settings#focus"


def test_settings_are_ones_own_page(client: Client) -> None:
    for path in ("/settings/focus", "/settings/look", "/settings/tokens"):
        assert client.post(path)["Location"].startswith("/sign-in")
