"""`manage.py kb_search` and `search_diagnose` refuse and answer as a terminal wants."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from wcwidth import wcswidth

from accounts.viewer import Viewer
from kb.domain.lifecycle import supersede
from kb.domain.terms import refresh_statistics
from search.cli import Style, require_production, table
from search.service import search
from search.types import SearchQuery, SearchResults
from tests.factories.library import NOW, domain, item

PROJECT = Path(__file__).resolve().parents[2]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def run(*arguments: str, terminal: bool = False) -> tuple[str, str]:
    refresh_statistics(NOW)
    out, err = (Terminal() if terminal else io.StringIO()), io.StringIO()
    call_command("kb_search", *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def found(text: str = "backup") -> SearchResults:
    refresh_statistics(NOW)
    return search(SearchQuery.of(text), Viewer.system(), NOW)


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")  # whatever runs the tests says of it


@pytest.mark.django_db
def test_title_domain_keywords_and_snippet_stand_in_aligned_columns() -> None:
    item(
        "Backup policy",
        "We restore a backup each quarter.",
        primary_domain=domain("Hosting"),
        ai_keywords=["tapes", "restore"],
    )
    item("备份策略 backup 备份策略 backup 备份策略 backup", "测试 " * 80)
    out, err = run("backup")
    first, heading, *rows = out.splitlines()
    assert first == "2 of 2 matches."
    assert heading.split() == ["Title", "Domain", "Keywords", "Snippet"]
    assert "tapes, restore" in out
    assert "We restore a backup each quarter." in out
    places = {wcswidth(row[: row.index(each)]) for row, each in _second_column(rows)}
    assert places == {wcswidth(heading[: heading.index("Domain")])}
    assert (err, "\x1b" in out, "<mark>" in out) == ("", False, False)


def _second_column(rows: list[str]) -> list[tuple[str, str]]:
    return [(row, "Hosting") for row in rows if "Hosting" in row]


@pytest.mark.django_db
@pytest.mark.parametrize("width", [40, 80, 120, 200])
def test_no_line_is_wider_than_the_terminal(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    item("Backup " + "测试" * 60, "🦊 backup e\u0301 " * 60, ai_keywords=["x" * 100])
    style = Style.of(colour=False)
    lines = table(found(), style).splitlines()
    assert max(map(wcswidth, lines)) <= width


@pytest.mark.django_db
def test_colours_are_for_terminals_without_no_color(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    item("Backup policy", "We restore a backup each quarter.")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[1;33mbackup\x1b[0m" in run("backup", terminal=True)[0]
    assert "\x1b" not in run("backup")[0]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run("backup", terminal=True)[0]


@pytest.mark.django_db
def test_what_items_say_cannot_drive_the_terminal() -> None:
    item("Backup \x1b]0;owned\x07 \u202e", "backup \x1b[2J\r\n\ue000 text")
    out, _ = run("backup", "--explain", "--full")
    assert not {"\x1b", "\x07", "\r", "\u202e", "\ue000", "\ue001"} & set(out)


@pytest.mark.django_db
def test_the_first_marked_word_is_never_cut_off() -> None:
    item("Page", f"{'other words ' * 14} backup and more {'words ' * 60}")
    out, _ = run("backup", terminal=True)
    assert "\x1b[1;33mbackup\x1b[0m" in out


@pytest.mark.django_db
def test_superseded_items_are_there_unless_left_out() -> None:
    old, new = item("Backup old"), item("Backup new")
    supersede(Viewer.system(), old.pk, new.pk, NOW, "Newer")
    assert "Backup old" in run("backup")[0]
    assert "Backup old" in run("backup", "--include-superseded")[0]
    assert "Backup old" not in run("backup", "--exclude-superseded")[0]


@pytest.mark.django_db
def test_domain_limit_and_threshold_narrow_the_answer() -> None:
    item("Backup one", primary_domain=domain("Hosting"))
    item("Backup two", primary_domain=domain("Hosting"))
    item("Backup three", primary_domain=domain("People"))
    shown = json.loads(run("backup", "--json", "--domain", "hOSTing")[0])
    assert {r["primary_domain"] for r in shown["results"]} == {"Hosting"}
    shown = json.loads(run("backup", "--json", "--limit", "1")[0])
    assert (shown["count"], shown["total"]) == (1, 3)


@pytest.mark.django_db
def test_full_adds_the_summary_and_explain_the_parts_of_the_score() -> None:
    item("Backup policy", summary_data={"gist": "We restore.", "points": [1, 2]})
    out, _ = run("backup policy", "--full", "--explain")
    assert "gist: We restore." in out
    assert "points: [1, 2]" in out
    assert "cosine 0." in out
    assert "[exact title]" in out
    shown = json.loads(run("backup", "--full", "--json")[0])
    assert shown["results"][0]["summary_data"]["gist"] == "We restore."


def _no_summaries(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
    columns = sql.partition(" FROM ")[0].split(", ")
    if len(columns) == 2 and "summary_data" in columns[1]:
        return execute("SELECT gone", None, many, context)
    return execute(sql, params, many, context)


@pytest.mark.django_db
def test_a_failed_summary_lookup_only_warns() -> None:
    item("Backup policy")
    with connection.execute_wrapper(_no_summaries):
        out, err = run("backup", "--full")
    assert "Backup policy" in out
    assert err.startswith("Summaries are missing: column")
    assert err.count("\n") == 1


@pytest.mark.django_db
def test_a_failed_summary_lookup_is_silent_in_json() -> None:
    item("Backup policy")
    with connection.execute_wrapper(_no_summaries):
        out, err = run("backup", "--full", "--json")
    assert json.loads(out)["results"][0]["summary_data"] is None
    assert err == ""


@pytest.mark.django_db
def test_nothing_found_is_said() -> None:
    assert run("zebrafish", "--mode", "keyword")[0] == "Nothing found.\n"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["  "], "query must not be empty."),
        (["x", "--domain", "nope"], "Unknown domain: 'nope'."),
        (["x", "--limit", "many"], "limit must be a whole number."),
        (["x", "--threshold", "2"], "threshold must be a number from 0 to 1."),
        (["x", "--mode", "vector"], "Unknown mode: 'vector'."),
    ],
)
def test_what_cannot_be_read_is_one_line(arguments: list[str], said: str) -> None:
    with pytest.raises(CommandError) as refused:
        run(*arguments)
    assert str(refused.value) == said


@pytest.mark.django_db
def test_a_failed_embedding_says_that_it_was_the_embedding(
    broken_embedder: None,
) -> None:
    with pytest.raises(CommandError, match="could not be embedded: down"):
        run("backup")


@pytest.mark.django_db
def test_a_failed_query_says_that_it_was_the_query() -> None:
    def refuse(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        return execute("SELECT gone", None, many, context)

    refresh_statistics(NOW)
    with (
        connection.execute_wrapper(refuse),
        pytest.raises(CommandError, match="query failed in the database: column"),
    ):
        call_command("kb_search", "backup")


@pytest.mark.django_db
def test_production_is_what_the_setting_names(settings: Any) -> None:
    used = connection.get_connection_params()
    place = f"{used.get('host', 'localhost')}:{used.get('port', 5432)}"
    settings.PRODUCTION_DATABASE = f"{place}/{used['dbname']}"
    require_production()
    item("Backup policy")
    assert "Backup policy" in run("backup", "--env=prod")[0]
    for other in (f"{place}/other", f"elsewhere/{used['dbname']}"):
        settings.PRODUCTION_DATABASE = other
        with pytest.raises(CommandError, match="not the production one"):
            run("backup", "--env=prod")
    settings.PRODUCTION_DATABASE = ""
    with pytest.raises(CommandError, match="PRODUCTION_DATABASE is not set"):
        run("backup", "--env=prod")


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        (
            {"DATABASE_URL": "postgresql://hub@127.0.0.1:1/none"},
            "The query failed in the database: ",
        ),
        ({"DATABASE_URL": "postgresql://"}, "Configuration is missing: "),
        ({"LOCAL_MODEL_DIR": "/nowhere"}, "could not be embedded: LOCAL_MODEL_DIR"),
        (
            {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"},
            "could not be embedded: not reachable",
        ),
    ],
)
def test_a_process_that_fails_ends_with_1_and_one_line(
    environment: dict[str, str], said: str, db: None
) -> None:
    served = {"DATABASE_URL", "HUB_DATA_DIR"} & os.environ.keys()
    base = {
        "PATH": os.environ["PATH"],
        **{name: os.environ[name] for name in served},
        "OPENAI_API_KEY": "",
        "OPENAI_BASE_URL": "",
    }
    done = subprocess.run(
        [sys.executable, "manage.py", "kb_search", "backup"],
        cwd=PROJECT,
        env=base | environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert (done.stdout, done.stderr.count("\n")) == ("", 1), done.stderr
    assert said in done.stderr
