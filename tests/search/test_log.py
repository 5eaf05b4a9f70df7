"""The log of searches: who looked for what, what they got, what they opened."""

import logging
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone
from django_celery_beat.models import PeriodicTask

from accounts import tokens
from accounts.models import User
from accounts.viewer import Viewer
from kb.domain.terms import refresh_statistics
from kb.enums import ReviewStatus
from kb.models import ContentItem
from search import log
from search.enums import Source
from search.models import SearchLog
from search.service import search
from search.tasks import purge_log
from search.types import SearchQuery
from tests.factories.library import NOW, domain, item

pytestmark = pytest.mark.django_db

SECRET = "a question that no process may log"


@pytest.fixture
def api(charlie: User) -> Client:
    _, secret = tokens.create(charlie, "test")
    return Client(headers={"Authorization": f"Bearer {secret}"})


def post(client: Client, body: dict[str, Any], path: str = "/api/search") -> Any:
    return client.post(path, body, content_type="application/json")


def looked(viewer: Viewer, text: str = "backup") -> int:
    refresh_statistics(NOW)
    results = search(SearchQuery.of(text), viewer, NOW)
    kept = log.record(log.Entry.of(results), Source.PAGE, viewer)
    assert kept is not None
    return kept


def test_an_api_search_is_kept_with_what_it_gave(api: Client, charlie: User) -> None:
    made = item("Backup policy", primary_domain=domain("Hosting"))
    refresh_statistics(timezone.now())
    answer = post(api, {"query": "backup", "domain": "hosting"}).json()
    kept = SearchLog.objects.get()
    assert answer["search_id"] == kept.pk
    assert (kept.source, kept.user, kept.query) == ("api", charlie, "backup")
    assert (kept.hits, kept.total, kept.mode) == (1, 1, "hybrid")
    assert kept.filters == {"domain": ["hosting"]}
    assert (kept.found_nothing, kept.weak, kept.shown) == (False, False, [made.pk])


def test_a_search_that_found_nothing_is_marked(api: Client) -> None:
    post(api, {"query": "zebrafish", "mode": "keyword"})
    kept = SearchLog.objects.get()
    assert (kept.found_nothing, kept.total, kept.mode) == (True, 0, "keyword")


def test_sections_and_the_command_line_are_kept_too(api: Client) -> None:
    item("Backup policy")
    post(api, {"query": "backup", "overdue_review": False}, "/api/search/sections")
    call_command("kb_search", "backup")
    assert [
        (each.source, each.mode, each.user_id is None, each.filters)
        for each in SearchLog.objects.order_by("id")
    ] == [
        ("api", "sections", False, {"overdue_review": ["false"]}),
        ("cli", "hybrid", True, {"include_superseded": ["true"]}),
    ]


def test_further_pages_and_refused_searches_leave_no_line(api: Client) -> None:
    item("Backup policy")
    assert post(api, {"query": "backup", "offset": 20}).json()["search_id"] is None
    post(api, {"query": ""})
    assert not SearchLog.objects.exists()


def test_a_click_is_kept_with_its_place_and_the_first_one_stays(
    reader: Viewer,
) -> None:
    made = [item(f"Backup {n}") for n in range(3)]
    number = looked(reader)
    second = SearchLog.objects.get().shown[1]
    assert log.clicked(number, second, reader, NOW)
    assert not log.clicked(number, made[0].pk, reader, NOW)
    kept = SearchLog.objects.get()
    assert (kept.clicked_item_id, kept.clicked_position) == (second, 2)
    assert kept.clicked_at == NOW


def test_an_item_of_a_further_page_has_no_place(reader: Viewer) -> None:
    item("Backup")
    number = looked(reader)
    assert log.clicked(str(number), item("Other").pk, reader, NOW)
    assert SearchLog.objects.get().clicked_position is None


def test_nobody_clicks_for_another_nor_on_what_they_may_not_see(
    reader: Viewer, editor: Viewer
) -> None:
    made = item("Backup")
    draft = item("Draft", governance_review_status=ReviewStatus.DRAFT)
    number = looked(reader)
    assert not log.clicked(number, made.pk, editor, NOW)
    assert not log.clicked(number, made.pk, Viewer.system(), NOW)
    assert not log.clicked(number, draft.pk, reader, NOW)
    assert SearchLog.objects.get().clicked_at is None


@pytest.mark.parametrize("number", ["", "x", "-1", "9" * 40, "²", None, "1 OR 1=1"])
def test_a_number_that_is_none_is_ignored(number: object, reader: Viewer) -> None:
    assert not log.clicked(number, item("Backup").pk, reader, NOW)


def test_rows_of_a_deleted_user_stay_without_the_user(
    reader: Viewer, charlie: User
) -> None:
    made = item("Backup")
    number = looked(reader)
    log.clicked(number, made.pk, reader, NOW)
    charlie.delete()
    kept = SearchLog.objects.get()
    assert (kept.query, kept.user, kept.clicked_item) == ("backup", None, made)
    ContentItem.objects.all().delete()
    assert SearchLog.objects.get().clicked_item is None


def test_a_log_that_cannot_be_written_fails_no_search(
    api: Client, caplog: pytest.LogCaptureFixture
) -> None:
    made = item("Backup policy")
    refresh_statistics(timezone.now())
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE search_searchlog RENAME TO gone")
    answer = post(api, {"query": SECRET + " backup"})
    assert answer.status_code == 200
    assert answer.json()["results"][0]["id"] == str(made.pk)
    assert answer.json()["search_id"] is None
    assert "search not recorded" in caplog.messages


def test_the_text_of_a_query_stands_in_no_line_of_the_process_log(
    api: Client, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        post(api, {"query": SECRET})
    said = [
        str(record.__dict__) for record in caplog.records if "sql" not in vars(record)
    ]
    assert not [line for line in said if SECRET in line]


def test_recording_takes_one_insert(
    reader: Viewer, django_assert_num_queries: Any
) -> None:
    results = search(SearchQuery.of("backup"), reader, NOW)
    # a savepoint, the time limit, the insert, the release
    with django_assert_num_queries(4) as queries:
        log.record(log.Entry.of(results), Source.PAGE, reader)
    inserts = [q for q in queries.captured_queries if q["sql"].startswith("INSERT")]
    assert len(inserts) == 1


def test_lines_older_than_the_setting_are_purged(reader: Viewer, settings: Any) -> None:
    settings.SEARCH_LOG_DAYS = 30
    for days in (29, 31):
        number = looked(reader)
        SearchLog.objects.filter(pk=number).update(
            created_at=timezone.now() - timedelta(days=days)
        )
    purge_log()
    [kept] = SearchLog.objects.all()
    assert (timezone.now() - kept.created_at).days == 29


def test_with_no_days_nothing_is_kept(api: Client, settings: Any) -> None:
    settings.SEARCH_LOG_DAYS = 0
    assert post(api, {"query": "backup"}).json()["search_id"] is None
    assert not SearchLog.objects.exists()


def test_the_purge_is_scheduled_each_night() -> None:
    task = PeriodicTask.objects.get(task="search.purge_log")
    assert (task.enabled, task.crontab.hour, task.crontab.minute) == (True, "2", "20")


def test_admins_read_the_log_and_nobody_writes_it(
    reader: Viewer, alice: User, bob: User
) -> None:
    item("Backup")
    number = looked(reader, "where is the backup")
    page, row = "/admin/search/searchlog/", f"/admin/search/searchlog/{number}/change/"
    admin, editor = Client(), Client()
    admin.force_login(alice)
    editor.force_login(bob)
    assert "where is the backup" in admin.get(page).content.decode()
    assert admin.get(page, {"q": "backup", "found_nothing": "0"}).status_code == 200
    assert "where is the backup" in admin.get(row).content.decode()
    assert admin.post(row, {"query": "x"}).status_code == 403
    assert admin.get("/admin/search/searchlog/add/").status_code == 403
    assert [editor.get(path).status_code for path in (page, row)] == [403, 403]
