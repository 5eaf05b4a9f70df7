"""Summaries: filled where people wrote nothing, by a model over HTTP or extraction."""

import json
from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.viewer import Viewer
from core.errors import NotAllowed
from kb import summaries
from kb.domain.lifecycle import archive, edit_item
from kb.domain.quality import quality_of
from kb.domain.summaries import store_summary, summarise_again
from kb.embedding import missing
from kb.models import ContentItem, ItemIndex
from kb.summarisers.base import Source, SummariesUnavailable
from kb.summarisers.extractive import Extractive
from tests.factories.library import NOW, item
from tests.kb.provider import Answer, Body, Provider, refusal, running

pytestmark = pytest.mark.django_db

TEXT = """
## What is backed up

We back up every customer system each night to two sites. The canteen opens at noon.
Copies of each customer system are kept for 35 days at both sites. Backups of every
system are restored each quarter, and the customer signs the result of the restore.
"""
GOOD = {
    "summary": "Systems are backed up nightly and restored each quarter.",
    "title": "Backup and restore",
    "keywords": ["backup", "restore test"],
    "points": ["35 days"],
}


def said(content: str) -> Answer:
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    return Answer(
        body={"id": "1", "object": "chat.completion", "created": 1, "model": "m"}
        | {"choices": [choice]}
    )


def good(request: Body) -> Answer:
    return said(f"Here it is:\n```json\n{json.dumps(GOOD)}\n```")


@pytest.fixture
def model(settings: Any) -> Iterator[Provider]:
    """A chat model in force, over HTTP."""
    with running() as provider:
        provider.behaviour = good
        settings.CHAT_MODEL = "tiny-chat"
        settings.CHAT_BASE_URL = provider.url
        settings.CHAT_API_KEY = "sk-secret"
        settings.CHAT_TIMEOUT = 5.0
        yield provider


def made(title: str = "Backups", content: str = TEXT, **values: Any) -> ContentItem:
    return item(title, content, **values)


def run(**options: Any) -> tuple[int, int, int]:
    counts = summaries.generate(NOW + timedelta(days=1), **options)
    return counts.items, counts.failed, counts.left


def texts(one: ContentItem) -> tuple[str, str, list[str]]:
    one.refresh_from_db()
    return one.summary, one.suggested_title, one.ai_keywords


# --- What is filled, and what is left alone -----------------------------------------


def test_a_model_fills_what_is_missing_with_history_and_search(
    model: Provider,
) -> None:
    one = made()
    assert run() == (1, 0, 0)
    assert texts(one) == (GOOD["summary"], GOOD["title"], GOOD["keywords"])
    assert one.summary_data["points"] == ["35 days"]
    assert one.summary_data["generated"]["method"] == "tiny-chat"
    assert one.content_changed_at == NOW
    row = one.history.latest("history_id")
    assert (row.history_change_reason, row.history_user) == (
        "Summary by tiny-chat",
        None,
    )
    index = ItemIndex.objects.get(item=one)
    assert "restore test" in index.extra
    assert not missing().exists()
    assert one.quality_score == quality_of(one, NOW.date() + timedelta(days=1)).score

    request = model.requests[0]
    assert request["model"] == "tiny-chat"
    assert "We back up every customer system" in request["messages"][1]["content"]
    assert model.keys == ["Bearer sk-secret"]


def test_what_people_wrote_stays(model: Provider, editor: Viewer) -> None:
    one = made(summary="Mine.", ai_keywords=["mine"], verified_at=NOW)
    run()
    assert texts(one) == ("Mine.", GOOD["title"], ["mine"])
    assert one.verified_at == NOW

    summarise_again(editor, [one.pk])
    edit_item(editor, one.pk, {"suggested_title": "Also mine"}, NOW)
    run()
    assert texts(one) == ("Mine.", "Also mine", ["mine"])


def test_each_text_is_read_once(model: Provider, editor: Viewer) -> None:
    one = made()
    whole = made("Whole", summary="S.", suggested_title="T", ai_keywords=["k"])
    archive(editor, [made("Archived").pk], NOW)
    item("Empty", content=" ").content = ""
    ContentItem.objects.filter(title="Empty").update(content="")
    assert run() == (1, 0, 0)
    assert run() == (0, 0, 0)
    assert len(model.requests) == 1
    # A new text is read anew, and what was generated for the old one follows it.
    model.behaviour = lambda _: said(json.dumps(GOOD | {"summary": "Anew."}))
    edit_item(editor, one.pk, {"content": f"{TEXT}\nAnd more of it."}, NOW)
    edit_item(editor, whole.pk, {"content": f"{TEXT}\nAnd more of it."}, NOW)
    assert run() == (1, 0, 0)
    assert texts(one)[0] == "Anew."


def test_what_somebody_emptied_stays_empty_until_asked_for(
    model: Provider, editor: Viewer, reader: Viewer
) -> None:
    one = made()
    run()
    edit_item(editor, one.pk, {"summary": ""}, NOW)
    assert run() == (0, 0, 0)
    assert summarise_again(editor, [one.pk]) == 1
    assert run(ids=[str(one.pk)]) == (1, 0, 0)
    assert texts(one)[0] == GOOD["summary"]
    with pytest.raises(NotAllowed):
        summarise_again(reader, [one.pk])


def test_a_text_that_changed_while_it_was_read_waits() -> None:
    one = made()
    found = Extractive().summarise(Source("A", TEXT))
    assert store_summary(one.pk, found, "another hash", "m", NOW) == ()
    assert texts(one) == ("", "", [])
    assert run() == (1, 0, 0)


def test_what_an_import_kept_stays_beside_it(model: Provider) -> None:
    one = made(summary_data={"imported": {"ref": "A-1"}})
    run()
    one.refresh_from_db()
    assert one.summary_data["imported"] == {"ref": "A-1"}


# --- A model that misbehaves --------------------------------------------------------


@pytest.mark.parametrize(
    "answer",
    [
        "I cannot do that.",
        "{not json}",
        "[1, 2]",
        '{"summary": 7}',
        '{"summary": "  "}',
        "",
    ],
)
def test_an_answer_without_sense_is_asked_again_and_then_left(
    model: Provider, answer: str
) -> None:
    one, other = made("A"), made("B")
    model.script = [lambda _: said(answer), good]
    assert run() == (2, 0, 0)
    assert len(model.requests) == 3
    ContentItem.objects.update(summary="", summary_data={})
    model.behaviour = lambda _: said(answer)
    assert run() == (0, 2, 2)
    assert (texts(one)[0], texts(other)[0]) == ("", "")


def test_values_of_a_wrong_kind_or_size_are_left_out(model: Provider) -> None:
    odd = {
        "summary": "a\x00b " * 1000,
        "title": ["x"],
        "keywords": ["k" * 300, 7, "k" * 300, "\ud800", *map(str, range(90))],
        "points": "none",
    }
    model.behaviour = lambda _: said(json.dumps(odd))
    one = made()
    assert run() == (1, 0, 0)
    summary, title, keywords = texts(one)
    assert (len(summary), title, len(keywords), keywords[0]) == (600, "", 8, "k" * 60)


def test_a_text_that_the_model_refuses_does_not_stop_the_others(
    model: Provider, caplog: pytest.LogCaptureFixture
) -> None:
    made("A"), made("B")
    model.script = [lambda _: refusal(400, "content filter: We back up")]
    assert run() == (1, 1, 1)
    assert "We back up" not in caplog.text
    assert run() == (1, 0, 0)


def test_a_busy_model_is_asked_again(model: Provider) -> None:
    made()
    model.script = [
        lambda _: refusal(429, "slow down", Retry_After="0.01"),
        lambda _: refusal(503, "busy", Retry_After="0.01"),
    ]
    assert run() == (1, 0, 0)
    assert len(model.requests) == 3


@pytest.mark.parametrize(
    ("answer", "detail"),
    [
        (refusal(401, "bad key sk-secret"), "HTTP 401"),
        (refusal(429, "quota", Retry_After="0.001"), "HTTP 429"),
        (Answer(body="<html>"), "the answer is not valid"),
        (Answer(body={"choices": []}), "the answer is not valid"),
        (Answer(hangs=True), "no answer in time"),
    ],
)
def test_a_model_that_is_down_stops_the_run_which_can_go_on(
    model: Provider, settings: Any, answer: Answer, detail: str
) -> None:
    one, other = made("A"), made("B")
    model.script = [good]
    model.behaviour = lambda _: answer
    settings.CHAT_TIMEOUT = 0.2
    with pytest.raises(SummariesUnavailable) as stopped:
        run()
    assert stopped.value.detail == detail
    assert sorted([texts(one)[0], texts(other)[0]]) == ["", GOOD["summary"]]
    model.behaviour = good
    assert run() == (1, 0, 0)


# --- Extraction ---------------------------------------------------------------------


def test_without_a_model_the_texts_own_words_serve() -> None:
    item("Leave", "Staff take leave. Their manager agrees to the leave of all staff.")
    one = made()
    assert run() == (2, 0, 0)
    summary, title, keywords = texts(one)
    assert "customer system" in summary
    assert "canteen" not in summary
    assert all(part in TEXT.replace("\n", " ") for part in summary.split(". ")[:1])
    assert title == ""
    assert "restore" in " ".join(keywords).casefold()
    assert one.summary_data["generated"]["method"] == "extraction"
    assert one.summary_data["points"] == ["What is backed up"]


@pytest.mark.parametrize(
    ("title", "content", "suggested"),
    [
        ("backup_policy_v2", "# Back-ups of systems\n\nText.", "Back-ups of systems"),
        ("IMG_2041", "These are the five words of one sentence.", "These are the five"),
        ("Backup policy", "# Other heading\n\nText.", ""),
        ("ISO-27001", "# Certificates\n\nText.", "Certificates"),
    ],
)
def test_a_name_of_a_file_is_given_a_title(
    title: str, content: str, suggested: str
) -> None:
    found = Extractive().summarise(Source(title, content)).title
    assert found.startswith(suggested)
    assert bool(found) == bool(suggested)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "\x00\ud800",
        "word",
        "测试备份恢复系统。" * 50,
        "A sentence of five plain words. " * 2000,
        "|a|b|\n|-|-|\n|1|2|",
        "x" * 200_000,
    ],
)
def test_no_text_is_an_error_for_extraction(content: str) -> None:
    found = Extractive().summarise(Source("T", content))
    assert len(found.summary) <= 600


# --- The command --------------------------------------------------------------------


def command(*arguments: str) -> str:
    out = StringIO()
    call_command("generate_summaries", *arguments, stdout=out)
    return out.getvalue().strip()


def test_the_command_says_how_and_goes_on_where_it_stopped() -> None:
    for title in ("A", "B", "C"):
        made(title)
    assert command("--limit", "2") == "2 items summarised by extraction, 1 left."
    assert command() == "1 item summarised by extraction, 0 left."
    assert command() == "0 items summarised by extraction, 0 left."


def test_the_command_fails_in_one_line_when_the_model_does(model: Provider) -> None:
    made()
    model.behaviour = lambda _: refusal(401, "bad key")
    with pytest.raises(CommandError, match=r"tiny-chat does not answer \(HTTP 401\)"):
        command()
    model.behaviour = good
    assert command() == "1 item summarised by tiny-chat, 0 left."
    model.behaviour = lambda _: said("no")
    made("B")
    assert command() == (
        "0 items summarised by tiny-chat, 1 not answered with sense, 1 left."
    )


def test_queries_grow_with_the_items_alone() -> None:
    costs = []
    for titles in (["A"], ["B", "C", "D"]):
        for title in titles:
            made(title)
        with CaptureQueriesContext(connection) as queries:
            run()
        costs.append(len(queries) / len(titles))
    assert costs[1] <= costs[0]
