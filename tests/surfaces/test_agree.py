"""Service, API, command line, page and assistants give the same items in the same
order."""

import io
import json
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core.management import call_command
from django.test import Client

from accounts.assistants import Answer, Caller
from accounts.models import User
from kb.embedding import recipe
from kb.filters import ItemFilters
from kb.models import ContentItem
from search.mcp.find import FIND
from search.service import search
from search.types import SearchQuery
from tests.surfaces.corpus import SIZE

# The mark also tells pytest-django to make the database, before the library is in it.
pytestmark = pytest.mark.django_db

PAGE = 20


@dataclass(frozen=True)
class Question:
    text: str
    filters: dict[str, Any] = field(default_factory=dict)
    offset: int = 0
    mode: str = "hybrid"

    @property
    def fits_the_command_line(self) -> bool:
        return not self.offset and not set(self.filters) - {"domain"}

    @property
    def fits_assistants(self) -> bool:
        return self.mode == "hybrid" and not set(self.filters) - {"domain"}


QUESTIONS = {
    "plain": Question("how do we restore a backup"),
    "long": Question("evidence of a plan for risk in supplier contracts " * 6),
    "one filter": Question("incident severity report", {"domain": ["domain 2"]}),
    "narrow filters": Question(
        "customer service review",
        {"subtopic": ["part 7", "PART 9"], "domain": ["Domain 5"]},
    ),
    "dates": Question(
        "energy travel", {"changed_within": 3650, "date_to": "2026-01-31"}
    ),
    "page 2": Question("how do we restore a backup", offset=PAGE),
    "page 2 under filters": Question(
        "audit of accessibility", {"content_type": ["article", "qa_pair"]}, offset=PAGE
    ),
    "page 12": Question("backup policy", offset=PAGE * 11),
    "rare code": Question("what does REF-00042 say"),
    "quoted phrase": Question('"REF-01234"'),
    "keyword": Question("backup tapes rehearsal", mode="keyword"),
    "keyword under a filter": Question(
        "control owner", {"domain": ["Domain 1"]}, mode="keyword"
    ),
    "keyword page 2": Question("customer team", offset=PAGE, mode="keyword"),
    "nothing": Question("zebrafish", mode="keyword"),
}


@pytest.fixture(params=list(QUESTIONS))
def question(request: pytest.FixtureRequest) -> Question:
    return QUESTIONS[request.param]


def by_service(question: Question, person: User, **values: Any) -> list[str]:
    query = SearchQuery.of(
        question.text,
        filters=ItemFilters.from_params(question.filters | values),
        offset=question.offset,
        limit=PAGE,
        mode=question.mode,
    )
    return [str(hit.id) for hit in search(query, person.viewer()).hits]


def by_api(question: Question, api: Client) -> list[str]:
    body = question.filters | {
        "query": question.text,
        "offset": question.offset,
        "limit": PAGE,
        "mode": question.mode,
    }
    answer = api.post("/api/search", body, content_type="application/json").json()
    return [each["id"] for each in answer["results"]]


def by_page(question: Question, client: Client) -> list[str]:
    parameters = question.filters | {"q": question.text}
    if question.offset:
        parameters["offset"] = question.offset
    if question.mode != "hybrid":
        parameters["mode"] = question.mode
    response = client.get(f"/browse?{urlencode(parameters, doseq=True)}")
    assert response.status_code == 200
    return re.findall(
        r'class="result__title"><a href="/items/([0-9a-f-]{36})',
        response.content.decode(),
    )


def by_command(question: Question) -> list[str]:
    out = io.StringIO()
    options = [f"--mode={question.mode}", f"--limit={PAGE}", "--json"]
    options += [f"--domain={name}" for name in question.filters.get("domain", [])]
    options += [f"--threshold={recipe().threshold}", "--exclude-superseded"]
    call_command("kb_search", question.text, *options, stdout=out)
    return [each["id"] for each in json.loads(out.getvalue())["results"]]


def by_assistant(question: Question, person: User) -> list[str]:
    domains = question.filters.get("domain", [])
    arguments = {
        "query": question.text,
        "scope": {"domain": domains[0]} if domains else None,
        "limit": PAGE,
        "offset": question.offset,
    }
    found = FIND.call(Caller(person.viewer()), arguments)
    assert isinstance(found, Answer), found
    return [each["id"] for each in found.data["results"]]


def test_every_surface_gives_the_same_ids_in_the_same_order(
    question: Question, person: User, api: Client, browser_client: Client
) -> None:
    expected = by_service(question, person)
    assert by_api(question, api) == expected
    assert by_page(question, browser_client) == expected
    if question.fits_the_command_line:
        assert by_command(question) == expected
    if question.fits_assistants:
        assert by_assistant(question, person) == expected


def test_the_questions_reach_what_they_are_about(person: User) -> None:
    sizes = {name: len(by_service(each, person)) for name, each in QUESTIONS.items()}
    assert sizes.pop("nothing") == 0
    assert 0 < sizes.pop("narrow filters") <= PAGE
    assert {name for name, size in sizes.items() if not size} == set()
    assert ContentItem.objects.count() == SIZE


@pytest.mark.parametrize("name", ["title", "code"])
def test_pinned_items_come_first_on_every_surface(
    name: str,
    library: list[ContentItem],
    person: User,
    api: Client,
    browser_client: Client,
) -> None:
    wanted = library[777]
    question = Question(wanted.title if name == "title" else "REF-00777")
    expected = by_service(question, person)
    assert expected[0] == str(wanted.pk)
    assert by_api(question, api) == expected
    assert by_page(question, browser_client) == expected
    assert by_command(question) == expected
    assert by_assistant(question, person) == expected


def test_pages_follow_each_other_without_gap_or_repeat(person: User) -> None:
    text = "customer service review"
    whole = search(SearchQuery.of(text, limit=100), person.viewer())
    pages = [
        each
        for offset in range(0, 100, PAGE)
        for each in by_service(Question(text, offset=offset), person)
    ]
    assert pages == [str(hit.id) for hit in whole.hits]
    assert len(set(pages)) == 100


def test_totals_and_facets_are_over_the_whole_match_set(
    person: User, api: Client
) -> None:
    body = {"query": "energy travel", "domain": ["Domain 5"], "facets": True}
    answer = api.post("/api/search", body, content_type="application/json").json()
    counts = {each["value"]: each["count"] for each in answer["facets"]["domain"]}
    types = [each["count"] for each in answer["facets"]["content_type"]]
    assert counts["Domain 5"] == answer["total"] == sum(types)
    assert answer["total"] > PAGE
