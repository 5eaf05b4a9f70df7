"""The description of the API: complete, pinned, and readable in a browser."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.test import Client
from django.utils import timezone
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiYamlRenderer
from drf_spectacular.validation import validate_schema

from accounts import tokens
from accounts.models import User
from kb.domain.terms import refresh_statistics
from kb.filters import ItemFilters
from search import api, schema
from search.sections import SECTION_FIELDS
from tests.factories.library import domain, item

SNAPSHOT = Path(__file__).resolve().parents[2] / "docs" / "openapi.yaml"
ERRORS = {"400", "401", "429", "500", "503"}


def generated() -> Any:
    generator: Any = SchemaGenerator
    return generator().get_schema(request=None, public=True)


def test_the_snapshot_is_what_the_code_says() -> None:
    renderer: Any = OpenApiYamlRenderer()
    said = renderer.render(generated(), renderer_context={}).decode()
    assert SNAPSHOT.read_text() == said, "run `make openapi`"


def test_it_is_valid_openapi_3_1_without_warnings() -> None:
    found = generated()
    assert found["openapi"].startswith("3.1")
    validate: Any = validate_schema
    validate(found)


def test_every_search_address_tells_its_errors() -> None:
    paths = generated()["paths"]
    searches = {
        f"{method} {path}": set(operation["responses"])
        for path, operations in paths.items()
        for method, operation in operations.items()
        if path.startswith("/api/search")
    }
    assert searches == {
        "post /api/search": ERRORS | {"200", "403"},
        "get /api/search": ERRORS - {"503"} | {"200"},
        "get /api/search/jump": ERRORS - {"503"} | {"200"},
        "post /api/search/sections": ERRORS | {"200", "403"},
        "get /api/search/preview": ERRORS | {"200"},
    }


def test_requests_are_described_as_they_are_read() -> None:
    filters = set(ItemFilters.__dataclass_fields__)
    assert set(schema.SearchRequestSerializer().fields) == filters | set(
        api.SEARCH_FIELDS
    )
    assert set(schema.SectionsRequestSerializer().fields) == filters | SECTION_FIELDS


@pytest.mark.django_db
def test_answers_are_described_as_they_are_given(charlie: User) -> None:
    item("Backup", "We restore a backup.", primary_domain=domain("Hosting"))
    refresh_statistics(timezone.now())
    _, secret = tokens.create(charlie, "test")
    client = Client(headers={"Authorization": f"Bearer {secret}"})
    schemas = generated()["components"]["schemas"]

    def same(given: dict[str, Any], name: str) -> None:
        assert set(given) == set(schemas[name]["properties"]), name

    body = {"query": "backup", "facets": True, "threshold": 0.01}
    answer = client.post("/api/search", body, content_type="application/json").json()
    same(answer, "SearchAnswer")
    same(answer["results"][0], "Hit")
    same(answer["results"][0]["why"], "Why")
    same(answer["facets"], "Facets")
    body = {"query": "backup", "threshold": 0.01}
    found = client.post(
        "/api/search/sections", body, content_type="application/json"
    ).json()
    same(found, "SectionsAnswer")
    same(found["results"][0], "Section")
    same(found["results"][0]["item"], "Item")
    shown = client.get("/api/search/preview?q=backup").json()
    same(shown, "PreviewAnswer")
    same(shown["results"][0], "PreviewRow")
    refused = client.get("/api/search/preview?q=").json()
    same(refused, "Error")


def test_the_schema_is_served_to_everybody_as_yaml_and_json() -> None:
    client = Client()
    as_yaml = client.get("/api/schema")
    as_json = client.get("/api/schema?format=json")
    assert as_yaml["Content-Type"].startswith("application/vnd.oai.openapi")
    assert (
        yaml.safe_load(as_yaml.content)["paths"] == json.loads(as_json.content)["paths"]
    )


@pytest.mark.parametrize("path", ["/api/schema", "/api/docs"])
@pytest.mark.parametrize(
    "query",
    [
        "?version=%0d%0aX: 1",
        "?lang=%00",
        "?format=%ff",
        "?script=%00&version=%22%3E%3Cscript%3E",
        "?format=html",
    ],
)
def test_no_parameter_breaks_the_description(path: str, query: str) -> None:
    response = Client().get(path + query)
    assert response.status_code in (200, 404)
    assert b'"><script>' not in response.content


@pytest.mark.parametrize("path", ["/api/schema", "/api/docs"])
def test_other_methods_are_refused_in_the_one_shape(path: str) -> None:
    response = Client().post(path, {}, content_type="application/json")
    assert response.status_code == 405
