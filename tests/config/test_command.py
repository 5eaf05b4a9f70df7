"""Which commands need the database, and the data folder from the command line."""

import os

import pytest

from config.onebox import OneboxError, command
from core import jobs
from kb import embedding


@pytest.mark.parametrize(
    ("line", "needed"),
    [
        ("manage.py", False),
        ("manage.py help migrate", False),
        ("manage.py --version", False),
        ("manage.py migrate --help", False),
        ("manage.py collectstatic --noinput", False),
        ("manage.py hub --port 1", False),
        ("manage.py check --deploy", False),
        ("manage.py check --database default", True),
        ("manage.py migrate", True),
        ("manage.py kb_search backups", True),
    ],
)
def test_commands_that_need_the_database(line: str, needed: bool) -> None:
    assert command.needs_database(line.split()) is needed


def test_an_argument_that_is_no_text_is_refused_in_one_line() -> None:
    with pytest.raises(SystemExit) as refused:
        command.run(["manage.py", "create_user", os.fsdecode(b"\xff\xfe")])
    assert refused.value.code == '"\ufffd\ufffd" is not UTF-8. Nothing was done.'


@pytest.mark.parametrize("option", [["--data-dir", "/srv/x"], ["--data-dir=/srv/x"]])
def test_every_command_takes_the_data_folder(
    option: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HUB_DATA_DIR", "/srv/other")

    kept = command.take_data_dir(["manage.py", "kb_search", *option, "backups"])

    assert kept == ["manage.py", "kb_search", "backups"]
    assert os.environ["HUB_DATA_DIR"] == "/srv/x"


def test_after_two_dashes_everything_is_the_commands_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HUB_DATA_DIR", "/srv/other")
    line = ["manage.py", "kb_search", "--", "--data-dir", "x"]

    assert command.take_data_dir(line) == line
    assert os.environ["HUB_DATA_DIR"] == "/srv/other"


def test_the_data_folder_needs_a_name() -> None:
    with pytest.raises(OneboxError, match="needs a folder"):
        command.take_data_dir(["manage.py", "hub", "--data-dir"])


@pytest.fixture
def embedded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    calls: list[str] = []
    monkeypatch.setattr(embedding, "embed_missing", lambda: calls.append("embedded"))
    return calls


@pytest.mark.parametrize(("undelivered", "calls"), [(True, ["embedded"]), (False, [])])
def test_a_command_embeds_what_it_could_tell_no_worker_of(
    undelivered: bool,
    calls: list[str],
    embedded: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(jobs, "undelivered", lambda: undelivered)

    command.embed_what_no_worker_will()

    assert embedded == calls


def test_a_provider_that_is_down_does_not_fail_a_command_that_is_done(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise OSError("no route")

    monkeypatch.setattr(jobs, "undelivered", lambda: True)
    monkeypatch.setattr(embedding, "embed_missing", fail)

    command.embed_what_no_worker_will()

    assert capsys.readouterr().err == (
        "Not embedded yet (no route); a running hub will do it.\n"
    )


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("--workers 0", "web processes are a number from 1 to 64, not '0'"),
        ("--port 70000", "a port is a number from 0 to 65535, not '70000'"),
        ("--data /srv/x", "unrecognized arguments: --data /srv/x"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(
    options: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        command.run(["manage.py", "hub", *options.split()])
    assert says in capsys.readouterr().err
