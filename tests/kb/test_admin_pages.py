"""Admin pages: constant queries, no vectors, and no input that breaks them."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from accounts.viewer import Viewer
from kb.domain.citations import cite
from kb.domain.duplicates import key, store_comparisons
from kb.domain.lifecycle import edit_item
from kb.domain.likeness import Likeness
from kb.domain.reading import mark_read
from kb.domain.requests import request_review
from kb.domain.review import flag_overdue, set_state
from kb.domain.terms import refresh_statistics
from kb.enums import JobOutcome, PairKind, ReviewStatus
from kb.models import FormQuestion, FormResponse, JobRun, Revision, Workspace
from tests.factories.library import NOW, domain, item

KB = [model for model in admin.site._registry if model._meta.app_label == "kb"]
NONSENSE = [
    "q=%00",
    "q=a%00b",
    "q=" + "x" * 3000,
    "q=" + "+".join("ab" for _ in range(2000)),
    "q=%25_%5C%27%22",
    "p=99999999999",
    "p=-1",
    "p=x",
    "o=99999.-8.x",
    "e=1",
    "all=",
    "nonsense=1",
    "id__exact=%00",
    "pk=99999999999999999999999999",
    "_to_field=title",
    "_popup=1",
    "_facets=True",
]


@pytest.fixture
def desk(client: Client, alice: User) -> Client:
    client.force_login(alice)
    return client


def address(model: type[Model], page: str, *args: Any) -> str:
    meta = model._meta
    return reverse(f"admin:{meta.app_label}_{meta.model_name}_{page}", args=args)


def fill(rows: range, owner: User) -> None:
    """Of each model of the library, one row more for each of `rows`."""
    for n in rows:
        where = domain(f"Domain {n}", owner=owner)
        made = item(f"Item {n}", f"# A\n\nText {n}", primary_domain=where, owner=owner)
        other = item(f"Other {n}", "# A\n\nText", primary_domain=where)
        bid = Workspace.objects.create(name=f"Bid {n}")
        question = FormQuestion.objects.create(workspace=bid, position=1, text="Who?")
        answer = FormResponse.objects.create(
            question=question, text="We.", author=owner
        )
        cite(owner.viewer(), made.pk, response=answer)
        Revision.objects.create(item=made, changes={}, author=owner)
        request_review(owner.viewer(), [made.pk], NOW, person=owner)
        store_comparisons({}, {key(made.pk, other.pk): _ALIKE}, "r", NOW)
        mark_read(owner.viewer(), made.pk, NOW)
        JobRun.objects.create(
            job=f"job {n}", date=NOW.date(), outcome=JobOutcome.DONE, started_at=NOW
        )
    refresh_statistics(NOW)


_ALIKE = Likeness(PairKind.DUPLICATE, 0.9, 0.8, same_title=False)


def cost(desk: Client, url: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert desk.get(url).status_code == 200
    return len(queries)


LIST_COST = {
    "Workspace": 5,
    "FormQuestion": 5,
    "FormResponse": 5,
    "Citation": 5,
    "Domain": 5,
    "ItemIndex": 5,
    "ItemTerms": 4,
    "ContentChunk": 5,
    "TermStatistic": 4,
    "IndexStatistics": 4,
    "ContentItem": 7,
    "Revision": 6,
    "DuplicatePair": 5,
    "HistoricalContentItem": 4,
    "ReviewRequest": 7,
    "ReadMark": 4,
    "JobRun": 7,
}


def test_lists_cost_the_same_for_one_row_and_for_three(
    desk: Client, alice: User
) -> None:
    fill(range(1), alice)
    desk.get("/admin/")
    one = {m.__name__: cost(desk, address(m, "changelist")) for m in KB}
    fill(range(1, 3), alice)
    three = {m.__name__: cost(desk, address(m, "changelist")) for m in KB}
    assert one == LIST_COST
    assert three == LIST_COST


def test_an_item_page_costs_the_same_for_one_row_below_and_for_three(
    desk: Client, alice: User
) -> None:
    made = item("Item", "# A\n\nText")
    short = item("Short", "# A\n\nText")
    for n in range(3):
        bid = Workspace.objects.create(name=f"Bid {n}")
        cite(alice.viewer(), made.pk, workspace=bid)
        if n == 0:
            cite(alice.viewer(), short.pk, workspace=bid)
    ContentType.objects.get_for_model(type(made))
    costs = [
        cost(desk, address(type(made), "change", each.pk)) for each in (short, made)
    ]
    assert costs == [9, 9]


def test_a_history_page_costs_the_same_for_two_versions_and_for_four(
    desk: Client, alice: User
) -> None:
    made = item("Item", owner=alice)
    url = address(type(made), "history", made.pk)
    costs = []
    for n in range(4):
        edit_item(alice.viewer(), made.pk, {"content": f"{n}"}, NOW + timedelta(n))
        costs.append(cost(desk, url))
    assert costs[1] == costs[3]


def test_no_diagnostic_page_loads_or_shows_a_vector(desk: Client, alice: User) -> None:
    fill(range(1), alice)
    for model in KB:
        first = model._default_manager.first()
        assert first is not None
        for url in (address(model, "changelist"), address(model, "change", first.pk)):
            with CaptureQueriesContext(connection) as queries:
                page = desk.get(url)
            assert page.status_code == 200
            loaded = [q["sql"] for q in queries if '"embedding",' in q["sql"]]
            assert loaded == []
            assert "SparseVector" not in page.text


@pytest.mark.parametrize("query", NONSENSE, ids=lambda query: query[:30])
def test_no_query_string_breaks_a_list(desk: Client, query: str) -> None:
    for model in admin.site._registry:
        answer = desk.get(f"{address(model, 'changelist')}?{query}")
        assert answer.status_code < 500


@pytest.mark.parametrize(
    "query",
    [
        "governance_review_status__exact=zzz",
        "governance_review_status__exact=%00",
        "owner__id__exact=abc",
        "owner__id__exact=99999999999999999999999",
        "owner__id__exact=%00",
        "primary_domain__id__exact=%00",
        "layer=%00",
        "layer__isnull=x",
        "due=zzz",
        "due=%00",
        "quality=zzz",
        "archived=zzz",
        "embedding=zzz",
        "title__icontains=a",
        "content__contains=%00",
        "owner__password__startswith=a",
    ],
)
def test_an_unknown_filter_of_items_is_never_an_error_of_ours(
    desk: Client, query: str
) -> None:
    item("Backup policy")
    answer = desk.get(f"/admin/kb/contentitem/?{query}", follow=True)
    assert answer.status_code < 500


@pytest.mark.parametrize("query", ["due=zzz", "quality=zzz", "archived=zzz"])
def test_an_unknown_value_of_our_filters_is_refused(desk: Client, query: str) -> None:
    answer = desk.get(f"/admin/kb/contentitem/?{query}")
    assert answer["Location"] == "/admin/kb/contentitem/?e=1"


@pytest.mark.parametrize(
    "key",
    [
        "nonsense",
        "99999999999999999999999999",
        "-1",
        "%00",
        "a%00b",
        "00000000-0000-0000-0000-000000000000",
        "x" * 2000,
        "_00",
    ],
    ids=lambda key: key[:30],
)
def test_no_key_in_an_address_breaks_a_page(desk: Client, key: str) -> None:
    for model in admin.site._registry:
        start = address(model, "changelist")
        kind = ContentType.objects.get_for_model(model).pk
        for url in (
            f"{start}{key}/change/",
            f"{start}{key}/history/",
            f"{start}{key}/history/{key}/",
            f"{start}{key}/delete/",
            f"{start}{key}/",
            f"/admin/r/{kind}/{key}/",
            f"/admin/r/{key}/1/",
        ):
            assert desk.get(url).status_code < 500, url
            assert desk.post(url, {}).status_code < 500, url


@pytest.mark.parametrize("version", ["nonsense", "%00", "9" * 30, "-1", "٣"])
def test_no_version_in_an_address_breaks_history(desk: Client, version: str) -> None:
    made = item()
    answer = desk.get(f"/admin/kb/contentitem/{made.pk}/history/{version}/")
    assert answer.status_code == 404


@pytest.mark.parametrize(
    "query",
    [
        "",
        "term=%00&app_label=kb&model_name=contentitem&field_name=primary_domain",
        "term=a&app_label=kb&model_name=contentitem&field_name=primary_domain&page=x",
        "term=a&app_label=kb&model_name=contentitem&field_name=superseded_by&page=0",
        "term=%00&app_label=kb&model_name=citation&field_name=item",
        "term=a&app_label=x&model_name=y&field_name=z",
    ],
)
def test_no_parameters_break_autocomplete(desk: Client, query: str) -> None:
    assert desk.get(f"/admin/autocomplete/?{query}").status_code < 500


def test_no_text_in_a_form_breaks_it(desk: Client, alice: User) -> None:
    fill(range(1), alice)
    for model in admin.site._registry:
        first = model._default_manager.first()
        names = [field.name for field in model._meta.fields]
        for value in ("\x00", "x" * 100_000, "9" * 400, "-1e400", "\ud83d\ude00"):
            data = dict.fromkeys(names, value.encode("utf-8", "replace").decode())
            assert desk.post(address(model, "add"), data).status_code < 500
            if first is not None:
                url = address(model, "change", first.pk)
                assert desk.post(url, data).status_code < 500


def test_a_refusal_of_the_domain_is_an_error_in_the_form(
    desk: Client, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rights may be taken away between opening a form and sending it."""
    from accounts.enums import Role

    monkeypatch.setattr(
        User, "viewer", lambda self: Viewer(self.pk, Role.VIEWER, "Alice")
    )
    answer = desk.post(
        "/admin/kb/domain/add/", {"name": "People", "moderation": "keep"}
    )
    assert answer.status_code == 200
    assert answer.context["adminform"].form.non_field_errors() == [
        "Only admins can do this. Ask one of them."
    ]
    assert answer.context["adminform"].form["name"].value() == "People"


def test_what_the_hub_did_by_itself_is_one_list_with_the_reason(
    desk: Client, alice: User
) -> None:
    made = item("Late", embedded=False, next_review_date=NOW.date())
    set_state(alice.viewer(), [made.pk], ReviewStatus.APPROVED, NOW, "By hand")
    flag_overdue(NOW + timedelta(days=1))
    url = reverse("admin:kb_historicalcontentitem_changelist")
    page = desk.get(url).text
    assert "Review date passed" in page
    assert "By hand" not in page
    assert "By hand" in desk.get(f"{url}?by=people").text
    assert "By hand" in desk.get(f"{url}?by=all&q=late").text
