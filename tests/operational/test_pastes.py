"""Pastes as they come, against the sample."""

import json
import logging
import random
from typing import Any

import pytest
from django.apps import apps
from django.test import Client

from accounts.models import User
from accounts.viewer import Viewer
from operational.service import OperationalAnswer, OperationalQuery, operational_search

FS = "Module not found: Can't resolve 'fs'"
SERVER = "server-module-client-bundle"
NOISE = random.Random(7)  # noqa: S311 noise, not secrets


def search(viewer: Viewer, paste: str) -> OperationalAnswer:
    return operational_search(OperationalQuery.of(paste), viewer)


def frames(count: int) -> str:
    each = (f"    at run{n} (/srv/app/lib/file{n}.js:{n}:7)" for n in range(count))
    return "\n".join(each)


ESC = "\x1b"


def noise(length: int, highest: int) -> str:
    return "".join(chr(NOISE.randrange(1, highest)) for _ in range(length))


PASTES = {
    "64 KiB of stack": f"{FS}\n{frames(1_400)}",
    "64 KiB before it": f"{frames(1_400)}\n{FS}",
    "one line of 64 KiB": FS + " " + "x" * 65_000,
    "binary noise": f"{FS}\n{noise(5_000, 600)}",
    "colours": f"{ESC}[31mError:{ESC}[39m " + FS.replace("fs", f"{ESC}[33mfs{ESC}[0m"),
    "NUL": FS.replace(" ", " \x00"),
    "in a JSON log line": json.dumps({"ts": 1, "level": "error", "msg": FS}),
    "in JSON inside text": "2026-01-01 web: " + json.dumps({"err": {"message": FS}}),
    "in the middle of text": f"Hello, since today we see\n> {FS}\nAny idea? Thanks",
    "with a path": f"./node_modules/x/y.js:1:0\n{FS} in '/home/me/app'",
    "with Windows lines": f"web\r\n{FS}\r\n",
}


@pytest.mark.parametrize("paste", PASTES)
def test_a_message_is_recognised_in_any_paste(
    sample: int, reader: Viewer, paste: str
) -> None:
    answer = search(reader, PASTES[paste])
    assert answer.matched is not None
    assert (answer.matched.slug, answer.query_type) == (SERVER, "symptom")
    assert answer.confidence >= 92


@pytest.mark.parametrize(
    "paste",
    [
        frames(30),
        'Traceback (most recent call last):\n  File "/app/x.py", line 3, in a\n    b()',
        noise(65_536, 0x3000),
        "\x00" * 1_000,
        "Connection reset by peer while fetching index from mirror",
        "npm ERR! code ELIFECYCLE\nnpm ERR! errno 1",
    ],
)
def test_what_was_never_recorded_finds_nothing(
    sample: int, reader: Viewer, paste: str
) -> None:
    answer = search(reader, paste)
    assert (answer.matched, answer.confidence) == (None, 0)


def test_of_three_errors_all_are_found(sample: int, reader: Viewer) -> None:
    answer = search(
        reader,
        f"{FS}\n\nError: error:0308010C:digital envelope routines::unsupported\n\n"
        "FATAL: sorry, too many clients already",
    )
    found = {each.slug for each in answer.additional}
    assert answer.matched is not None
    assert {answer.matched.slug, *found} >= {
        SERVER,
        "openssl-legacy-hash-after-node-upgrade",
        "database-connections-exhausted",
    }


def test_a_message_cut_in_the_middle_is_recognised(sample: int, reader: Viewer) -> None:
    answer = search(reader, "FATAL: remaining connection slots are reserved for ro")
    assert answer.matched is not None
    assert answer.matched.slug == "database-connections-exhausted"
    assert 60 <= answer.confidence <= 80


def test_values_that_vary_do_not_matter(sample: int, reader: Viewer) -> None:
    for name, path in (("STRIPE_KEY", "/srv/a.txt"), ("X", "C:\\data\\b")):
        missing = search(
            reader, f"Error: Missing required environment variable: {name}"
        )
        denied = search(reader, f"Error: EACCES: permission denied, open '{path}'")
        assert missing.matched is not None
        assert denied.matched is not None
        assert missing.matched.slug == "environment-variable-missing-production"
        assert denied.matched.slug == "deploy-user-cannot-write-volume"
        assert min(missing.confidence, denied.confidence) >= 92


def test_a_quoted_value_that_is_not_free_must_be_the_same(
    sample: int, reader: Viewer
) -> None:
    other = search(reader, FS.replace("'fs'", "'path'"))
    assert other.confidence <= 80


def test_answers_are_the_same_every_time(sample: int, reader: Viewer) -> None:
    from dataclasses import replace

    from operational.domain import index

    first = [replace(search(reader, p), took_ms=0) for p in PASTES.values()]
    index.forget()
    again = [replace(search(reader, p), took_ms=0) for p in PASTES.values()]
    assert first == again


def test_a_secret_in_a_paste_is_nowhere_afterwards(
    client: Client, charlie: User, sample: int, caplog: Any, capsys: Any
) -> None:
    secret = "hunter2-9f8e7d6c5b4a"
    client.force_login(charlie)
    paste = f"{FS}\nDATABASE_URL=postgres://app:{secret}@db/x\nboom {secret}"
    with caplog.at_level(logging.DEBUG):
        client.post("/api/operational-search", {"q": paste}, "application/json")
        client.get("/api/operational-search", {"q": paste})
        client.get("/api/operational-search", {"q": paste, "type": "x"})
    logged = caplog.text + "".join(str(record.__dict__) for record in caplog.records)
    printed = capsys.readouterr()
    assert secret not in logged + printed.out + printed.err
    for model in apps.get_models():
        for row in model._default_manager.values():
            assert secret not in str(row)
