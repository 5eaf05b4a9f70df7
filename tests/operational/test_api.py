import json
from typing import Any

import jsonschema
import pytest
from django.test import Client, override_settings

from accounts import tokens
from accounts.models import User
from operational.models import Entity

URL = "/api/operational-search"
QUERIES = {
    "failure": "crypto is not defined",
    "pattern": "works locally fails prod",
    "lesson": "check-settings-at-start",
    "pathway": "first-production-release",
    "playbook": "release-checklist",
    "case-study": "checkout-outage-october",
    "system": "edge-network",
    "nothing": "the sourdough did not rise in a cold kitchen overnight",
}


def ask(client: Client, q: str, **params: str) -> Any:
    return client.get(URL, {"q": q, **params})


def schema(client: Client) -> Any:
    return client.get(f"{URL}/schema").json()


@pytest.fixture
def signed_in(client: Client, charlie: User, sample: int) -> Client:
    client.force_login(charlie)
    return client


@pytest.mark.parametrize("context", ["", "failure", "lesson", "pathway"])
@pytest.mark.parametrize("kind", QUERIES)
def test_every_answer_has_the_published_shape(
    signed_in: Client, kind: str, context: str
) -> None:
    answer = ask(signed_in, QUERIES[kind], context=context)
    jsonschema.validate(
        answer.json(), schema(signed_in), jsonschema.Draft202012Validator
    )
    matched = answer.json()["matchedEntity"]
    assert (matched or {}).get("type", "nothing") == kind


def test_the_schema_is_valid_and_closed_throughout(client: Client, db: None) -> None:
    published = schema(client)
    jsonschema.Draft202012Validator.check_schema(published)

    def check(part: Any) -> None:
        if isinstance(part, dict):
            if part.get("type") == "object":
                assert part["additionalProperties"] is False
            for each in part.values():
                check(each)
        elif isinstance(part, list):
            for each in part:
                check(each)

    check(published)


def test_a_failure_comes_with_its_package(signed_in: Client) -> None:
    answer = ask(signed_in, "Module not found: Can't resolve 'fs'").json()
    context = answer["debugContext"]
    assert context["failureSlug"] == "server-module-client-bundle"
    assert context["confidenceScore"] == 85
    assert context["fixState"] == "verified"
    assert context["fixOutcomes"] == {"worked": 0, "failed": 0, "lastAt": None}
    assert context["patternId"] == "pattern:module-boundary-violations"
    assert [each["slug"] for each in context["relatedLessons"]] == [
        "build-with-the-production-target",
        "guard-server-code",
        "refuse-imports-across-boundaries",
    ]
    assert (answer["lessonImpact"], answer["pathwaySteps"]) == (None, None)


def test_a_pattern_comes_with_its_best_failure_and_the_others_lead(
    signed_in: Client,
) -> None:
    answer = ask(signed_in, "works locally fails prod").json()
    context = answer["debugContext"]
    members = {
        "edge-runtime-deployment-failure",
        "environment-variable-missing-production",
        "server-client-date-mismatch",
    }
    others = [each["slug"] for each in answer["additionalMatches"][:3]]
    assert context["patternName"] == "Runtime environment scope drift"
    assert context["preventionChecklist"][0] == (
        "Keep one list of settings for all environments and check it at start."
    )
    assert context["failureSlug"] in members
    assert set(others) <= members


def test_the_context_decides_which_block_is_filled(signed_in: Client) -> None:
    q = "Module not found: Can't resolve 'fs'"
    lesson = ask(signed_in, q, context="lesson").json()
    assert lesson["debugContext"] is None
    assert lesson["lessonImpact"]["failuresPrevented"]
    pathway = ask(signed_in, q, context="pathway").json()
    assert pathway["pathwaySteps"]["pathwayTitle"] == "Split server and client code"


def test_a_lesson_tells_what_it_prevents_and_leads_to(signed_in: Client) -> None:
    impact = ask(signed_in, "check-settings-at-start").json()["lessonImpact"]
    assert impact == {
        "lessonSlug": "check-settings-at-start",
        "lessonTitle": "Check all settings at start",
        "failuresPrevented": [
            {
                "slug": "environment-variable-missing-production",
                "title": "Environment variable is missing in production",
                "href": "/operational/failure/environment-variable-missing-production",
            }
        ],
        "prerequisiteFor": [
            {
                "slug": "one-list-of-settings",
                "title": "Keep one list of settings for all environments",
                "href": "/operational/lesson/one-list-of-settings",
            }
        ],
        "implementsPlaybook": {
            "slug": "release-checklist",
            "title": "Release checklist",
            "href": "/operational/playbook/release-checklist",
        },
    }


def test_what_nothing_fits_is_null_and_zero(signed_in: Client) -> None:
    answer = ask(signed_in, QUERIES["nothing"]).json()
    assert (answer["matchedEntity"], answer["confidence"]) == (None, 0)
    assert answer["additionalMatches"] == []


def test_the_type_asked_for_is_the_type_given(signed_in: Client) -> None:
    answer = ask(signed_in, "settings at start", type="lesson").json()
    assert answer["matchedEntity"]["id"] == "lesson:check-settings-at-start"


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({}, "q"),
        ({"q": "  "}, "q"),
        ({"q": "a", "type": "playbook"}, "type"),
        ({"q": "a", "type": "failures"}, "type"),
        ({"q": "a", "context": "pattern"}, "context"),
    ],
)
def test_what_cannot_be_understood_is_named(
    signed_in: Client, params: dict[str, str], field: str
) -> None:
    answer = signed_in.get(URL, params)
    assert (answer.status_code, answer.json()["field"]) == (400, field)


def test_posts_answer_the_same_as_gets(signed_in: Client) -> None:
    q = "Error: Module not found: Can't resolve 'fs'\n  at x.js:1"
    got = ask(signed_in, q).json()
    posted = signed_in.post(URL, {"q": q}, content_type="application/json").json()
    del got["processingTimeMs"], posted["processingTimeMs"]
    assert got == posted


@pytest.mark.parametrize("body", ["[]", "{", '{"q": 3}', '{"q": "a", "x": 1}', "null"])
def test_bodies_that_are_not_a_question_are_refused(
    signed_in: Client, body: str
) -> None:
    answer = signed_in.post(URL, body, content_type="application/json")
    assert answer.status_code == 400
    assert set(answer.json()) <= {"error", "code", "field"}


def test_strangers_are_asked_who_they_are(client: Client, sample: int) -> None:
    answer = ask(client, "a")
    assert answer.status_code == 401
    assert answer["WWW-Authenticate"] == 'Bearer realm="Knowledge Hub"'


def test_tokens_open_the_door(client: Client, charlie: User, sample: int) -> None:
    _, secret = tokens.create(charlie, "laptop")
    bearer = {"authorization": f"Bearer {secret}"}
    answer = client.get(URL, {"q": "blockJS"}, headers=bearer)
    assert answer.json()["matchedEntity"]["slug"] == "next-mdx-remote-v6-blockjs"


def test_an_unchanged_graph_is_not_sent_again(signed_in: Client) -> None:
    first = ask(signed_in, "blockJS")
    assert first["Cache-Control"] == "private, max-age=60"
    assert {"Cookie", "Authorization"} <= set(first["Vary"].split(", "))
    tag = {"If-None-Match": first["ETag"]}
    assert signed_in.get(URL, {"q": "blockJS"}, headers=tag).status_code == 304
    other = signed_in.get(URL, {"q": "blockJS", "context": "lesson"}, headers=tag)
    assert other.status_code == 200


def test_a_changed_graph_has_another_tag(signed_in: Client, alice: User) -> None:
    from operational.domain.entities import archive

    first = ask(signed_in, "blockJS")
    failure = Entity.objects.get(slug="next-mdx-remote-v6-blockjs")
    archive(alice.viewer(), [failure.pk])
    tag = {"If-None-Match": first["ETag"]}
    second = signed_in.get(URL, {"q": "blockJS"}, headers=tag)
    assert second.status_code == 200
    assert second.json()["matchedEntity"] is None


@override_settings(OPERATIONAL_PUBLIC=True)
def test_a_public_hub_shows_public_entities_to_anybody(
    client: Client, charlie: User, sample: int
) -> None:
    Entity.objects.filter(slug="next-mdx-remote-v6-blockjs").update(is_public=False)
    answer = ask(client, "blockJS")
    assert answer["Cache-Control"] == "public, max-age=60"
    assert answer.json()["matchedEntity"] is None
    client.force_login(charlie)
    signed_in = ask(client, "blockJS")
    assert signed_in["Cache-Control"] == "private, max-age=60"
    assert signed_in.json()["matchedEntity"]["slug"] == "next-mdx-remote-v6-blockjs"
    assert signed_in["ETag"] != answer["ETag"]


def test_too_many_questions_in_a_minute_have_to_wait(
    signed_in: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("django_ratelimit.core.time.time", lambda: 1_780_000_000.0)
    with override_settings(OPERATIONAL_PER_MINUTE=2):
        assert [ask(signed_in, "blockJS").status_code for _ in range(2)] == [200, 200]
        answer = ask(signed_in, "blockJS")
    assert answer.status_code == 429
    assert 1 <= int(answer["Retry-After"]) <= 60


def test_answers_cost_the_same_queries_whatever_matches(
    signed_in: Client, django_assert_max_num_queries: Any
) -> None:
    ask(signed_in, "blockJS")
    for query in QUERIES.values():
        with django_assert_max_num_queries(12):
            ask(signed_in, query)


@pytest.mark.parametrize(
    "paste",
    [
        "\x00",
        "\ud800",
        "\x1b[31m\x1b[0m",
        "🙂" * 500,
        "(" * 3_000,
        "a-" * 3_000,
        "'\"`" * 1_000,
        "{" * 2_000,
        '{"message": ' * 500,
        "%s" * 500,
        "…" * 500,
        "1",
        "-",
    ],
)
def test_no_paste_breaks_the_endpoint(signed_in: Client, paste: str) -> None:
    body = json.dumps({"q": paste})
    answer = signed_in.post(URL, body, content_type="application/json")
    assert answer.status_code == 200
    assert answer.json()["matchedEntity"] is None
