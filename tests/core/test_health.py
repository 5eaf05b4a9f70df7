"""`/readyz`: which dependency is down."""

import json
from typing import Any

import pytest
from django.test import RequestFactory

from core import health


@pytest.fixture(autouse=True)
def _own_probes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_probes", {})
    monkeypatch.setattr(health, "_reports", {})


def asked(rf: RequestFactory) -> tuple[int, dict[str, Any]]:
    answer = health.readyz(rf.get("/readyz"))
    return answer.status_code, json.loads(answer.content)


def test_what_needs_a_database_that_is_down_is_not_asked(rf: RequestFactory) -> None:
    calls: list[str] = []

    def nightly() -> str | None:
        calls.append("nightly")
        return None

    health.register("nightly", nightly, required=False, needs="database")
    health.register("database", lambda: "down: refused", required=True)
    health.register("cache", lambda: None, required=False)
    assert asked(rf) == (
        503,
        {
            "ready": False,
            "checks": {
                "database": "down: refused",
                "cache": "ok",
                "nightly": "unknown: the database is down",
            },
        },
    )
    assert calls == []


def test_it_is_asked_while_the_database_is_up(rf: RequestFactory) -> None:
    health.register("database", lambda: None, required=True)
    health.register("nightly", lambda: "late", required=False, needs="database")
    assert asked(rf) == (
        200,
        {"ready": True, "checks": {"database": "ok", "nightly": "late"}},
    )


def test_a_probe_that_breaks_is_down(rf: RequestFactory) -> None:
    def broken() -> str | None:
        raise OSError("gone")

    health.register("cache", broken, required=False)
    assert asked(rf) == (200, {"ready": True, "checks": {"cache": "down: OSError"}})


def test_what_is_well_may_tell_more(rf: RequestFactory) -> None:
    health.register("nightly", lambda: None, required=False, detail=lambda: "a done")
    health.register("quiet", lambda: None, required=False, detail=lambda: "")
    health.register("ill", lambda: "late", required=False, detail=lambda: "unheard")
    assert asked(rf)[1]["checks"] == {
        "nightly": "ok: a done",
        "quiet": "ok",
        "ill": "late",
    }


def test_a_detail_that_breaks_breaks_nothing(rf: RequestFactory) -> None:
    def broken() -> str:
        raise OSError("gone")

    health.register("nightly", lambda: None, required=False, detail=broken)
    assert asked(rf)[1]["checks"] == {"nightly": "ok, but without detail: OSError"}
