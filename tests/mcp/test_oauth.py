"""OAuth as today's clients use it: find, register, be let in, renew, be let go."""

import base64
import hashlib
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from django.utils import timezone
from oauth2_provider.models import AccessToken, Application, RefreshToken

from accounts import oauth
from accounts.bearer import user_of
from accounts.models import User

pytestmark = pytest.mark.django_db

HUB = "http://testserver"
RESOURCE = f"{HUB}/mcp"
CALLBACK = "http://127.0.0.1/callback"
VERIFIER = "a-verifier-that-is-long-enough-for-pkce-0123456789"
CHALLENGE = (
    base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest())
    .decode()
    .rstrip("=")
)


def register(**values: Any) -> Any:
    asked = {
        "client_name": "Desk assistant",
        "redirect_uris": [CALLBACK],
        "grant_types": ["authorization_code", "refresh_token", "urn:x:device_code"],
        "token_endpoint_auth_method": "none",
    }
    return Client().post("/oauth/register", asked | values, "application/json")


def ask(client_id: str, **values: Any) -> dict[str, Any]:
    return {
        "client_id": client_id,
        "response_type": "code",
        "redirect_uri": "http://127.0.0.1:43123/callback",
        "scope": "read",
        "state": "xyz",
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
        "resource": RESOURCE,
    } | values


def consent(client: Client, asked: dict[str, Any], **pressed: str) -> Any:
    """Open the page and press a button of it."""
    page = client.get("/oauth/authorize", asked)
    assert page.status_code == 200, page.content
    form = page.context["form"]
    kept = {field.html_name: field.value() or "" for field in form.hidden_fields()}
    return client.post("/oauth/authorize", kept | pressed)


def code_of(response: Any) -> str:
    return str(parse_qs(urlsplit(response["Location"]).query)["code"][0])


def exchange(**values: Any) -> Any:
    return Client().post("/oauth/token", values)


def tokens_for(client: Client, **values: Any) -> dict[str, Any]:
    client_id = register().json()["client_id"]
    asked = ask(client_id, **values)
    code = code_of(consent(client, asked, allow="true"))
    answer = exchange(
        grant_type="authorization_code",
        client_id=client_id,
        code=code,
        redirect_uri=asked["redirect_uri"],
        code_verifier=VERIFIER,
        resource=RESOURCE,
    )
    assert answer.status_code == 200, answer.content
    return {**answer.json(), "client_id": client_id}


@pytest.fixture
def browser_of(charlie: User) -> Client:
    client = Client()
    client.force_login(charlie)
    return client


def test_a_client_finds_its_way_by_the_metadata() -> None:
    for path in ("", "/mcp"):
        told = Client().get(f"/.well-known/oauth-protected-resource{path}").json()
        assert told["resource"] == RESOURCE
        assert told["authorization_servers"] == [HUB]
        assert told["scopes_supported"] == ["read"]
    server = Client().get("/.well-known/oauth-authorization-server").json()
    assert server["issuer"] == HUB
    assert server["registration_endpoint"] == f"{HUB}/oauth/register"
    assert server["code_challenge_methods_supported"] == ["S256"]
    assert server["grant_types_supported"] == ["authorization_code", "refresh_token"]


def test_behind_a_proxy_the_metadata_shows_the_public_address(settings: Any) -> None:
    settings.PUBLIC_URL = "https://hub.example.org"
    issuer = {"OIDC_ISS_ENDPOINT": "https://hub.example.org"}
    settings.OAUTH2_PROVIDER = settings.OAUTH2_PROVIDER | issuer
    public = Client()
    resource = public.get("/.well-known/oauth-protected-resource/mcp").json()
    assert resource["resource"] == "https://hub.example.org/mcp"
    assert resource["authorization_servers"] == ["https://hub.example.org"]
    server = public.get("/.well-known/oauth-authorization-server").json()
    addresses = {v for v in server.values() if isinstance(v, str)}
    assert addresses
    assert all(each.startswith("https://hub.example.org") for each in addresses)


def test_a_program_that_is_let_in_acts_as_who_let_it_in(
    browser_of: Client, charlie: User
) -> None:
    given = tokens_for(browser_of)
    now = timezone.now()
    assert user_of(given["access_token"], RESOURCE, now) == charlie
    assert user_of(given["access_token"], f"{RESOURCE}/", now) == charlie
    assert user_of(given["access_token"], "https://other.example/mcp", now) is None
    later = now + timedelta(hours=2)
    assert user_of(given["access_token"], RESOURCE, later) is None
    assert given["access_token"] not in str(list(AccessToken.objects.values()))
    charlie.is_active = False
    charlie.save()
    assert user_of(given["access_token"], RESOURCE, now) is None


def test_a_program_that_names_no_resource_gets_a_token_for_the_hub(
    browser_of: Client, charlie: User
) -> None:
    client_id = register().json()["client_id"]
    asked = ask(client_id)
    del asked["resource"]
    code = code_of(consent(browser_of, asked, allow="true"))
    given = exchange(
        grant_type="authorization_code",
        client_id=client_id,
        code=code,
        redirect_uri=asked["redirect_uri"],
        code_verifier=VERIFIER,
    ).json()
    assert user_of(given["access_token"], RESOURCE, timezone.now()) == charlie


def test_the_consent_page_says_who_asks_and_no_is_no(browser_of: Client) -> None:
    client_id = register().json()["client_id"]
    page = browser_of.get("/oauth/authorize", ask(client_id))
    shown = page.content.decode()
    for told in ("Connect Desk assistant?", "as Charlie", "a program on this computer"):
        assert told in shown
    policy = page["Content-Security-Policy"]
    assert "form-action 'self' http://127.0.0.1:43123" in policy
    assert "no-store" in page["Cache-Control"]
    refused = consent(browser_of, ask(client_id))
    assert "error=access_denied" in refused["Location"]
    assert not AccessToken.objects.filter(user__isnull=False).exists()


def test_who_is_not_signed_in_signs_in_first() -> None:
    asked = ask(register().json()["client_id"])
    response = Client().get("/oauth/authorize", asked)
    assert response.status_code == 302
    assert response["Location"].startswith("/sign-in?next=/oauth/authorize")


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({"resource": "https://other.example/mcp"}, "This hub gives tokens for"),
        ({"redirect_uri": "https://evil.example/callback"}, "redirect"),
        ({"client_id": "nobody"}, "client_id"),
    ],
)
def test_what_must_not_be_given_stays_on_a_page_that_says_so(
    values: dict[str, str], error: str, browser_of: Client
) -> None:
    asked = ask(register().json()["client_id"]) | values
    response = browser_of.get("/oauth/authorize", asked)
    assert response.status_code == 400
    assert "Not connected" in response.content.decode()
    assert error in response.content.decode()


@pytest.mark.parametrize(
    "values",
    [
        {"code_challenge": "", "code_challenge_method": ""},
        {"scope": "write"},
        {"response_type": "token"},
    ],
)
def test_without_proof_or_beyond_reading_the_program_is_told_no(
    values: dict[str, str], browser_of: Client
) -> None:
    asked = ask(register().json()["client_id"], **values)
    response = browser_of.get("/oauth/authorize", asked)
    assert response.status_code == 302
    assert response["Location"].startswith(asked["redirect_uri"])
    assert "error=" in response["Location"]


def test_a_proof_in_plain_is_none(browser_of: Client) -> None:
    plain = {"code_challenge_method": "plain", "code_challenge": VERIFIER}
    asked = ask(register().json()["client_id"], **plain)
    refused = consent(browser_of, asked, allow="true")
    assert "error=invalid_request" in refused["Location"]


@pytest.mark.parametrize("path", ["authorize", "token", "revoke"])
def test_no_input_breaks_an_endpoint(path: str, browser_of: Client) -> None:
    for value in ("\0", "\ufffd", "x" * 5_000, "[]", ""):
        sent = ask(value, token=value, code=value, grant_type=value)
        assert browser_of.get(f"/oauth/{path}", sent).status_code < 500
        assert browser_of.post(f"/oauth/{path}", sent).status_code < 500
        assert browser_of.post(f"/oauth/{path}", value, "a/b").status_code < 500


def test_a_code_serves_once_and_only_who_can_prove_it(browser_of: Client) -> None:
    client_id = register().json()["client_id"]
    asked = ask(client_id)
    code = code_of(consent(browser_of, asked, allow="true"))
    sent = {
        "grant_type": "authorization_code",
        "client_id": client_id,
        "code": code,
        "redirect_uri": asked["redirect_uri"],
    }
    assert exchange(**sent, code_verifier="x" * 50).status_code == 400
    code = code_of(consent(browser_of, asked, allow="true"))
    sent["code"] = code
    assert exchange(**sent, code_verifier=VERIFIER).status_code == 200
    assert exchange(**sent, code_verifier=VERIFIER).status_code == 400


def test_renewing_ends_the_old_token_and_reuse_ends_them_all(
    browser_of: Client, charlie: User
) -> None:
    given, now = tokens_for(browser_of), timezone.now()
    renew = {
        "grant_type": "refresh_token",
        "refresh_token": given["refresh_token"],
        "client_id": given["client_id"],
        "resource": RESOURCE,
    }
    renewed = exchange(**renew).json()
    assert user_of(given["access_token"], RESOURCE, now) is None
    assert user_of(renewed["access_token"], RESOURCE, now) == charlie
    assert exchange(**renew).status_code == 400
    assert user_of(renewed["access_token"], RESOURCE, now) is None


def test_a_program_or_its_user_can_end_it(browser_of: Client, charlie: User) -> None:
    given, now = tokens_for(browser_of), timezone.now()
    ended = Client().post(
        "/oauth/revoke",
        {"token": given["access_token"], "client_id": given["client_id"]},
    )
    assert ended.status_code == 200
    assert user_of(given["access_token"], RESOURCE, now) is None

    given = tokens_for(browser_of)
    listed = browser_of.get("/connections").content.decode()
    assert "Desk assistant" in listed
    (shown,) = oauth.connections(charlie, now)
    response = browser_of.post(f"/connections/{shown.id}/disconnect", follow=True)
    assert "Desk assistant is disconnected." in response.content.decode()
    assert user_of(given["access_token"], RESOURCE, now) is None
    client = Application.objects.get(client_id=given["client_id"])
    assert not RefreshToken.objects.filter(application=client).exists()
    assert "No program is connected" in browser_of.get("/connections").content.decode()


def test_the_list_of_programs_asks_as_often_for_one_as_for_three(
    browser_of: Client, django_assert_num_queries: Any, charlie: User
) -> None:
    tokens_for(browser_of)
    with django_assert_num_queries(5):
        browser_of.get("/connections")
    tokens_for(browser_of)
    tokens_for(browser_of)
    with django_assert_num_queries(5):
        browser_of.get("/connections")
    assert len(oauth.connections(charlie, timezone.now())) == 3


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({"redirect_uris": ["http://evil.example/x"]}, "invalid_redirect_uri"),
        ({"redirect_uris": ["http://[evil/x"]}, "invalid_redirect_uri"),
        ({"redirect_uris": "http://127.0.0.1/"}, "invalid_redirect_uri"),
        ({"redirect_uris": []}, "invalid_client_metadata"),
        ({"redirect_uris": ["javascript:alert(1)"]}, "invalid_client_metadata"),
        ({"grant_types": ["password"]}, "invalid_client_metadata"),
        ({"grant_types": ["client_credentials"]}, "invalid_client_metadata"),
        ({"token_endpoint_auth_method": "magic"}, "invalid_client_metadata"),
        ({"token_endpoint_auth_method": ["none"]}, "invalid_client_metadata"),
        ({"redirect_uris": ["https://a.example/\0"]}, "invalid_redirect_uri"),
        ({"redirect_uris": ["https://a.example/\ud800"]}, "invalid_redirect_uri"),
        ({"redirect_uris": [f"https://a.example/{'x' * 9000}"]}, None),
        ({"client_name": {"x": "\ud800"}}, None),
    ],
)
def test_what_cannot_be_registered_is_said(
    values: dict[str, Any], error: str | None
) -> None:
    response = register(**values)
    if error is None:
        assert response.status_code in (201, 400)
        return
    assert (response.status_code, response.json()["error"]) == (400, error)
    assert not Application.objects.exists()


def test_app_schemes_and_confidential_clients_register_too() -> None:
    address = "cursor://anysphere.cursor-mcp/oauth/callback"
    assert register(redirect_uris=[address]).status_code == 201
    assert oauth.where(f"{address} https://claude.ai/x") == (
        "the app that opens cursor:, claude.ai"
    )
    given = register(token_endpoint_auth_method="client_secret_post").json()
    assert given["client_secret"]


def test_expired_tokens_and_programs_nobody_let_in_are_forgotten(
    browser_of: Client, charlie: User
) -> None:
    kept = tokens_for(browser_of)["client_id"]
    register()
    now = timezone.now()
    oauth.clear(now + timedelta(days=29))
    assert Application.objects.count() == 2
    oauth.clear(now + timedelta(days=31))
    assert [each.client_id for each in Application.objects.all()] == [kept]
