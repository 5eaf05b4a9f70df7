"""Nothing here is for strangers."""

import uuid

import pytest
from django.test import Client

from tests.browse.pages import HTMX

PATHS = [
    "/",
    "/settings",
    "/presets",
    "/presets/system-qa",
    "/questions",
    "/questions/ask",
    "/items/new",
    f"/items/{uuid.UUID(int=1)}/edit",
    f"/items/{uuid.UUID(int=1)}/history",
    f"/items/{uuid.UUID(int=1)}/review",
    "/media/pictures/one.png",
    "/browse",
    "/browse?q=backup",
    "/browse/preview?q=back",
    f"/items/{uuid.UUID(int=1)}",
]
pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("path", PATHS)
def test_a_stranger_is_sent_to_sign_in_and_back(client: Client, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 302
    assert response["Location"].startswith("/sign-in?next=/")


def test_htmx_is_told_to_load_the_sign_in_page(client: Client) -> None:
    here = {"HX-Current-URL": "http://testserver/browse?domain=People"}
    response = client.get("/browse?domain=People&cursor=x", headers=HTMX | here)
    assert response["HX-Redirect"] == "/sign-in?next=/browse%3Fdomain%3DPeople"


def test_a_page_whose_person_was_signed_out_keeps_what_was_typed(
    client: Client,
) -> None:
    for path in ("/bids/1/questions/1/answer", f"/items/{uuid.UUID(int=1)}/edit"):
        response = client.post(path, {"text": "Typed"}, headers=HTMX)
        assert response.status_code == 401
        assert not response.has_header("HX-Redirect")
