"""The index of everything: what it lists, to whom, and again only when it changed."""

from typing import Any

import pytest
from django.test import Client, override_settings

from accounts import tokens
from accounts.models import User
from core import navigation
from kb.enums import ReviewStatus
from operational.models import Entity
from tests.factories.library import item

URL = "/api/search"
KEYS = [
    *("id", "title", "description", "section", "sectionLabel", "slug", "href"),
    *("tags", "date"),
]


@pytest.fixture
def reading(client: Client, charlie: User, sample: int) -> Client:
    client.force_login(charlie)
    return client


def ids(client: Client, query: str = "") -> list[str]:
    return [each["id"] for each in client.get(URL + query).json()]


def test_items_and_entities_stand_in_one_flat_list(reading: Client) -> None:
    made = item("Café policy", summary="What we serve.", ai_keywords=["coffee"])
    rows = reading.get(URL).json()
    assert [list(each) for each in rows] == [KEYS] * 47
    assert rows[0] == {
        "id": str(made.pk),
        "title": "Café policy",
        "description": "What we serve.",
        "section": "library",
        "sectionLabel": "Library",
        "slug": "cafe-policy",
        "href": f"/items/{made.pk}",
        "tags": ["coffee"],
        "date": made.content_changed_at.isoformat(),
    }
    failure = next(r for r in rows if r["slug"] == "next-mdx-remote-v6-blockjs")
    assert (failure["id"], failure["sectionLabel"], failure["href"]) == (
        "failure:next-mdx-remote-v6-blockjs",
        "Failure",
        "/operational/failure/next-mdx-remote-v6-blockjs",
    )


def test_drafts_archived_and_replaced_are_never_listed(
    client: Client, alice: User, sample: int
) -> None:
    item("Draft", governance_review_status=ReviewStatus.DRAFT)
    Entity.objects.update(archived_at="2026-01-01T00:00:00Z")
    client.force_login(alice)
    assert client.get(URL).json() == []


@pytest.mark.parametrize("query", ["?q=backup", "?query=backup", "?page=1&limit=3"])
def test_any_other_parameter_is_sent_to_post(reading: Client, query: str) -> None:
    answer = reading.get(URL + query)
    assert answer.status_code == 400
    assert "POST" in answer.json()["error"]


@pytest.mark.parametrize("page", ["0", "-1", "x", "", "1.5", "٣", "99999999999999999"])
def test_a_page_is_a_whole_number(reading: Client, page: str) -> None:
    answer = reading.get(URL, {"page": page})
    assert (answer.status_code, answer.json().get("field")) == (400, "page")


def test_pages_hold_everything_once(
    reading: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(5):
        item(f"Item {n}", embedded=False)
    whole = ids(reading)
    monkeypatch.setattr(navigation, "PER_PAGE", 7)
    first = reading.get(URL)
    assert first["X-Total-Count"] == "51"
    assert '</api/search?page=2>; rel="next"' in first["Link"]
    pages = [ids(reading, f"?page={n}") for n in range(1, 10)]
    assert [each for page in pages for each in page] == whole
    assert [len(page) for page in pages] == [7] * 7 + [2, 0]


def test_what_did_not_change_is_not_sent_again(reading: Client) -> None:
    first = reading.get(URL)
    assert first["Cache-Control"] == "private, no-cache"
    assert {"Cookie", "Authorization"} <= set(first["Vary"].split(", "))
    tag = {"If-None-Match": first["ETag"]}
    again = reading.get(URL, headers=tag)
    assert (again.status_code, again.content) == (304, b"")
    item("New")
    assert reading.get(URL, headers=tag).status_code == 200


def test_strangers_get_nothing_unless_the_hub_is_public(
    client: Client, sample: int
) -> None:
    item("Internal")
    Entity.objects.exclude(type="system").update(is_public=False)
    assert client.get(URL).status_code == 401
    assert client.get(f"{URL}/jump").status_code == 401
    with override_settings(OPERATIONAL_PUBLIC=True):
        answer = client.get(URL)
        assert {each["section"] for each in answer.json()} == {"system"}
        assert answer["Cache-Control"] == "public, no-cache"
        found = client.get(f"{URL}/jump?q=internal").json()
        assert found == {"results": [], "count": 0}
        posted = client.post(URL, {"query": "x"}, content_type="application/json")
        assert posted.status_code == 401


def test_tokens_open_the_index(client: Client, charlie: User, sample: int) -> None:
    _, secret = tokens.create(charlie, "laptop")
    answer = client.get(URL, headers={"authorization": f"Bearer {secret}"})
    assert len(answer.json()) == 46


@pytest.mark.parametrize("more", [0, 2])
def test_the_index_costs_the_same_queries(
    reading: Client, django_assert_num_queries: Any, more: int
) -> None:
    for n in range(1 + more):
        item(f"Item {n}", embedded=False)
    with django_assert_num_queries(6):
        reading.get(URL)


def jump(client: Client, q: str) -> list[str]:
    found = client.get(f"{URL}/jump", {"q": q}).json()["results"]
    return [each["title"] for each in found]


def test_the_jump_list_finds_titles_tags_and_descriptions(reading: Client) -> None:
    item("Server")
    found = jump(reading, "server")
    assert found[0] == "Server"
    assert "Split server and client code" in found
    assert (
        jump(reading, "WordPress 401")[0]
        == "WordPress REST API answers 401 Unauthorized"
    )
    assert jump(reading, "acme") == [
        "Certificate is refused because the name does not resolve yet"
    ]
    assert "Checkout outage of October" in jump(reading, "october")
    assert jump(reading, "zzzz") == []


def test_without_words_the_newest_come_first(reading: Client) -> None:
    newest = Entity.objects.get(slug="edge-network")
    newest.save()
    assert jump(reading, "")[0] == newest.title
    assert len(jump(reading, " ")) == navigation.FOUND


@pytest.mark.parametrize("q", ["\x00", "%", "_", "\\", "'", "🙂", "a" * 200, "\u0301"])
def test_no_words_break_the_jump_list(reading: Client, q: str) -> None:
    assert reading.get(f"{URL}/jump", {"q": q}).status_code == 200


def test_too_many_words_are_refused(reading: Client) -> None:
    answer = reading.get(f"{URL}/jump", {"q": "a" * 201})
    assert (answer.status_code, answer.json()["field"]) == (400, "q")
