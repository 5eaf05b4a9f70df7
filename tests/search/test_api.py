"""The HTTP API of search: shapes, refusals, limits, outages."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts import tokens
from accounts.models import User
from kb.domain.terms import refresh_statistics
from kb.enums import ReviewStatus
from tests.factories.library import item

pytestmark = pytest.mark.django_db

HOSTILE = [
    "W-2", "P-8A", "-8a", "chase-", "H52.1 - x", ".test", "NT_SUCCESS", "C++", "C#",
    "$_GET", "mysql2date()", "(XETRA:", "ISO-27001", "100%", "a_b", "\\", "'",
    '"unbalanced', "étudiant", "测试", "🦊", "שלום", "a\x00b", "' OR 1=1 --",
    "& | ! <->", ":*", "a:*b", "{1:2}/3", "word " * 399, "\ud800", "%s %(x)s {0}",
    "<script>", "\u202e",
]  # fmt: skip


@pytest.fixture
def api(charlie: User) -> Client:
    _, secret = tokens.create(charlie, "test")
    return Client(headers={"Authorization": f"Bearer {secret}"})


def post(client: Client, body: Any) -> Any:
    return client.post("/api/search", body, content_type="application/json")


def test_a_search_answers_results_count_and_total(api: Client) -> None:
    made = item("Backup policy", "Backups run nightly.")
    refresh_statistics(timezone.now())
    body = post(api, {"query": "Backup policy"}).json()
    assert (body["count"], body["total"], body["mode"]) == (1, 1, "hybrid")
    first = body["results"][0]
    assert (first["id"], first["title"], first["pinned"]) == (
        str(made.pk),
        "Backup policy",
        "exact title",
    )
    parts = {k: v for k, v in first["why"].items() if k != "win_factor"}
    assert first["score"] == pytest.approx(sum(parts.values()), abs=1e-4)


def test_nobody_is_told_to_sign_in_with_401(db: None) -> None:
    response = post(Client(), {"query": "x"})
    assert (response.status_code, response.json()["code"]) == (401, "NOT_AUTHENTICATED")
    assert response["WWW-Authenticate"].startswith("Bearer")
    assert Client().get("/api/search/preview?q=abc").status_code == 401


def test_a_revoked_token_is_refused(api: Client, charlie: User) -> None:
    token = charlie.access_tokens.get()
    tokens.revoke(token, timezone.now())
    assert post(api, {"query": "x"}).status_code == 401


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "query"),
        ({"query": ""}, "query"),
        ({"query": "  \x00 "}, "query"),
        ({"query": "x" * 2001}, "query"),
        ({"query": 5}, "query"),
        ({"query": ["x"]}, "query"),
        ({"query": "x", "threshold": 1.1}, "threshold"),
        ({"query": "x", "threshold": "high"}, "threshold"),
        ({"query": "x", "threshold": True}, "threshold"),
        ({"query": "x", "limit": "many"}, "limit"),
        ({"query": "x", "limit": 1.5}, "limit"),
        ({"query": "x", "offset": {}}, "offset"),
        ({"query": "x", "mode": "vector"}, "mode"),
        ({"query": "x", "domian": "Security"}, "filter"),
        ({"query": "x", "domain": "No such domain"}, "domain"),
        ({"query": "x", "content_type": "artcle"}, "content_type"),
        ({"query": "x", "date_from": "31/03/2026"}, "date_from"),
        ({"query": "x", "quality_min": 101}, "quality_min"),
        ({"query": "x", "unread": "maybe"}, "unread"),
        ({"query": "x", "domain": ["x"] * 51}, "domain"),
    ],
)
def test_bad_input_is_a_400_that_names_the_field(
    body: dict[str, Any], field: str, api: Client
) -> None:
    response = post(api, body)
    assert (response.status_code, response.json()["code"]) == (400, "BAD_INPUT")
    assert response.json()["field"] == field


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"[]", b'"x"', b"null", b"\xff", b'{"query": NaN}', b"[" * 9999]
)
def test_a_body_that_is_not_a_json_object_is_a_400(raw: bytes, api: Client) -> None:
    response = api.post("/api/search", raw, content_type="application/json")
    assert response.status_code == 400
    assert set(response.json()) >= {"error", "code"}


def test_a_client_that_asks_for_html_gets_json_all_the_same(api: Client) -> None:
    answer = api.get("/api/search/preview?q=zzz", headers={"accept": "text/html"})
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/json")
    assert api.get("/api").json()["code"] == "NOT_FOUND"
    assert api.get("/api/schema?format=nix").status_code == 200


def test_limits_are_clamped(api: Client) -> None:
    for number in range(3):
        item(f"Backup {number}")
    refresh_statistics(timezone.now())
    assert post(api, {"query": "backup", "limit": 0}).json()["count"] == 1
    assert post(api, {"query": "backup", "limit": 10**9}).json()["limit"] == 100
    assert post(api, {"query": "backup", "offset": -5}).json()["offset"] == 0


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_breaks_a_search_or_a_preview(text: str, api: Client) -> None:
    item("Backup policy", "ISO-27001 C++ .test W-2 100% a_b")
    refresh_statistics(timezone.now())
    for mode in ("hybrid", "keyword"):
        response = post(api, {"query": text, "mode": mode})
        assert response.status_code in (200, 400), response.content
    response = api.get("/api/search/preview", {"q": text.encode("utf-8", "ignore")})
    assert response.status_code in (200, 400)


def test_the_31st_search_in_a_minute_is_429_and_further_pages_are_free(
    api: Client, still_clock: None
) -> None:
    item("Backup policy")
    refresh_statistics(timezone.now())
    statuses = [post(api, {"query": f"backup {n}"}).status_code for n in range(30)]
    assert statuses == [200] * 30
    assert post(api, {"query": "backup 0", "offset": 20}).status_code == 200
    refused = post(api, {"query": "one more"})
    assert (refused.status_code, refused.json()["code"]) == (429, "RATE_LIMITED")
    assert 1 <= int(refused["Retry-After"]) <= 60


def test_the_61st_preview_in_a_minute_is_429(api: Client, still_clock: None) -> None:
    statuses = {api.get("/api/search/preview?q=abc").status_code for _ in range(60)}
    assert statuses == {200}
    refused = api.get("/api/search/preview?q=abc")
    assert refused.status_code == 429
    assert 1 <= int(refused["Retry-After"]) <= 60


def test_drafts_leak_neither_by_preview_nor_by_counts(api: Client) -> None:
    item("Secret merger", governance_review_status=ReviewStatus.DRAFT)
    item("Public page about a merger")
    refresh_statistics(timezone.now())
    body = post(api, {"query": "merger"}).json()
    assert (body["total"], [r["title"] for r in body["results"]]) == (
        1,
        ["Public page about a merger"],
    )
    preview = api.get("/api/search/preview?q=merger").json()
    assert [r["title"] for r in preview["results"]] == ["Public page about a merger"]


def test_an_embedding_failure_is_503_in_the_agreed_words(
    api: Client, broken_embedder: None
) -> None:
    response = post(api, {"query": "backup"})
    assert (response.status_code, response.json()) == (
        503,
        {
            "error": "Search is temporarily unavailable. Please try again shortly.",
            "code": "EMBEDDING_FAILED",
        },
    )
    assert post(api, {"query": "backup", "mode": "keyword"}).status_code == 200
    assert api.get("/api/search/preview?q=backup").status_code == 200
