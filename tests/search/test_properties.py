"""No input gives an error of the hub's own: every search address, arbitrary bodies."""

import json
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts import tokens
from accounts.models import User
from kb.domain.terms import refresh_statistics
from kb.filters import ItemFilters
from search import api as search_api
from search.sections import SECTION_FIELDS
from tests.factories.library import domain, item
from tests.search.test_api import HOSTILE

pytestmark = pytest.mark.django_db

bounded = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

# With surrogates, NUL, marks of both query syntaxes, and far too long.
letters = st.characters()
texts = st.one_of(
    st.text(letters, max_size=80),
    st.sampled_from(HOSTILE),
    st.lists(st.sampled_from([*HOSTILE, '"', "|", "&", "\u0301"]), max_size=6).map(
        " ".join
    ),
    st.text(st.sampled_from("a \"'\\%_&|!():*<->\x00\ud800é测"), max_size=60),
    st.builds(lambda text, n: text * n, st.text(letters, min_size=1, max_size=9),
              st.integers(1, 400)),
)  # fmt: skip
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(letters, max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
names = st.sampled_from(
    sorted(
        {*search_api.SEARCH_FIELDS, *SECTION_FIELDS, *ItemFilters.__dataclass_fields__}
    )
)
bodies = st.one_of(
    st.dictionaries(names, values, max_size=4),
    st.builds(lambda body, text: body | {"query": text},
              st.dictionaries(names, values, max_size=2), texts),
    values,
)  # fmt: skip


@pytest.fixture
def api(charlie: User, settings: Any) -> Client:
    settings.SEARCHES_PER_MINUTE = settings.PREVIEWS_PER_MINUTE = 1_000_000
    item(
        "Backup policy",
        "ISO-27001 C++ .test W-2 100% a_b 测试 étudiant",
        primary_domain=domain("Hosting"),
    )
    refresh_statistics(timezone.now())
    _, secret = tokens.create(charlie, "test")
    return Client(headers={"Authorization": f"Bearer {secret}"})


def check(response: Any) -> None:
    assert response.status_code in (200, 400), response.content
    body = json.loads(response.content)
    if response.status_code == 400:
        assert set(body) >= {"error", "code"}
    else:
        assert body["count"] == len(body["results"])


def post(client: Client, path: str, body: object) -> Any:
    # As ASCII: lone surrogates travel as escapes.
    return client.post(path, json.dumps(body), content_type="application/json")


@bounded
@given(text=texts, mode=st.sampled_from(["hybrid", "keyword"]))
def test_no_text_breaks_a_search(text: str, mode: str, api: Client) -> None:
    check(post(api, "/api/search", {"query": text, "mode": mode, "facets": True}))


@bounded
@given(body=bodies)
def test_no_body_breaks_a_search(body: object, api: Client) -> None:
    check(post(api, "/api/search", body))


@bounded
@given(body=bodies)
def test_no_body_breaks_a_search_among_sections(body: object, api: Client) -> None:
    check(post(api, "/api/search/sections", body))


@bounded
@given(raw=st.binary(max_size=200))
def test_no_bytes_break_a_search(raw: bytes, api: Client) -> None:
    for path in ("/api/search", "/api/search/sections"):
        check(api.post(path, raw, content_type="application/json"))


@bounded
@given(text=texts, limit=st.none() | st.integers() | texts)
def test_no_text_breaks_a_preview(text: str, limit: object, api: Client) -> None:
    query = f"?q={quote(text, errors='surrogatepass')}"
    if limit is not None:
        query += f"&limit={quote(str(limit), errors='surrogatepass')}"
    check(api.get(f"/api/search/preview{query}"))
