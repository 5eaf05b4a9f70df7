"""Each group of the panel counts under the filters of the other groups."""

from datetime import timedelta
from typing import Any

import pytest

from accounts.viewer import Viewer
from core.errors import BadInput
from kb.domain.reading import mark_read
from kb.enums import ReviewStatus
from kb.facets import Totals, facets, totals
from kb.filters import ItemFilters
from tests.factories.library import NOW, domain, item

TODAY = NOW.date()
pytestmark = pytest.mark.django_db


def counts(name: str, viewer: Viewer, **filters: Any) -> dict[str, int]:
    found = facets(ItemFilters(**filters), viewer, TODAY)
    return {each.value: each.count for each in found[name]}


@pytest.fixture
def library() -> None:
    security, people = domain("Security"), domain("People")
    item("Access policy", primary_domain=security, content_type="policy")
    item("Vetting", primary_domain=security, content_type="qa_pair")
    item("Training", primary_domain=people, content_type="qa_pair")


@pytest.mark.usefixtures("library")
def test_a_group_does_not_count_under_its_own_choice(reader: Viewer) -> None:
    assert counts("domain", reader, domain=("People",)) == {"Security": 2, "People": 1}


@pytest.mark.usefixtures("library")
def test_a_group_counts_under_the_choices_of_the_others(reader: Viewer) -> None:
    chosen = {"domain": ("security",)}
    assert counts("content_type", reader, **chosen) == {"qa_pair": 1, "policy": 1}


@pytest.mark.usefixtures("library")
def test_values_that_nothing_matches_stay_with_zero(reader: Viewer) -> None:
    chosen = {"content_type": ("policy",)}
    assert counts("domain", reader, **chosen) == {"Security": 1, "People": 0}


def test_freshness_is_counted_as_lists_derive_it(reader: Viewer) -> None:
    item("New", now=NOW - timedelta(days=89))
    item("Old", now=NOW - timedelta(days=400))
    assert counts("freshness", reader) == {"expired": 1, "fresh": 1}


def test_what_one_may_not_see_is_not_counted_and_not_named(
    reader: Viewer, editor: Viewer
) -> None:
    item("Open", primary_domain=domain("People"))
    item(
        "Secret",
        primary_domain=domain("Mergers"),
        author_name="Zoe",
        governance_review_status=ReviewStatus.DRAFT,
    )
    assert counts("domain", reader) == {"People": 1}
    assert counts("author", reader) == {}
    assert counts("domain", editor) == {"People": 1, "Mergers": 1}
    assert totals(ItemFilters(), reader, TODAY) == Totals(matching=1, library=1)


def test_a_value_that_nothing_has_is_refused_with_its_neighbours(
    reader: Viewer,
) -> None:
    item("Open", primary_domain=domain("People"))
    with pytest.raises(BadInput, match="Did you mean people"):
        facets(ItemFilters(domain=("Poeple",)), reader, TODAY)


def test_an_unseen_value_is_refused_like_one_that_does_not_exist(
    reader: Viewer,
) -> None:
    item(
        "Secret",
        primary_domain=domain("Mergers"),
        governance_review_status=ReviewStatus.DRAFT,
    )
    with pytest.raises(BadInput, match=r"^Unknown domain: 'Mergers'\.$"):
        facets(ItemFilters(domain=("Mergers",)), reader, TODAY)


def test_unread_is_counted_for_the_one_who_asks(reader: Viewer, editor: Viewer) -> None:
    seen = item("Seen", layer="core")
    mark_read(reader, seen.pk, NOW)
    assert counts("layer", reader, unread=True) == {"core": 0}
    assert counts("layer", editor, unread=True) == {"core": 1}


@pytest.mark.parametrize("many", [1, 3])
def test_the_panel_takes_one_query(
    many: int, reader: Viewer, django_assert_num_queries: Any
) -> None:
    for number in range(many):
        item(f"Item {number}", primary_domain=domain(f"Domain {number}"))
    with django_assert_num_queries(1):
        facets(ItemFilters(unread=True, freshness=("fresh",)), reader, TODAY)
