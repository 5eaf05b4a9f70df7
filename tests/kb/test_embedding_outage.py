"""The outage that all processes know of."""

import json
import logging

import pytest
from django.test import RequestFactory
from pytest_django import Settings

from core import health
from kb.embeddings import outage


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1_780_000_000.0]
    monkeypatch.setattr("kb.embeddings.outage.time.time", lambda: now[0])
    return now


def test_the_rest_grows_to_five_minutes_and_ends_with_recovery(
    clock: list[float],
) -> None:
    rests = []
    for _ in range(7):
        outage.failed("HTTP 503")
        found = outage.current()
        assert found is not None
        rests.append(found.rests_until - clock[0])
        clock[0] = found.rests_until
    assert rests == [15, 30, 60, 120, 120, 120, 120]
    assert not outage.resting()

    outage.recovered()
    outage.failed("HTTP 503")
    clock[0] += 15
    assert not outage.resting()


def test_failures_of_many_workers_within_one_rest_count_once(
    clock: list[float],
) -> None:
    for _ in range(10):
        outage.failed("HTTP 503")
    clock[0] += 15
    assert not outage.resting()


def test_each_change_of_state_is_logged_once(
    clock: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "hub.embedding"):
        for _ in range(3):
            outage.failed("HTTP 503")
            clock[0] += 400
        outage.recovered()
        outage.recovered()
    assert [record.message for record in caplog.records] == [
        "embedding provider down",
        "embedding provider back",
    ]


def test_with_the_cache_down_a_process_still_rests(
    clock: list[float], settings: Settings
) -> None:
    settings.CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": "redis://127.0.0.1:9/0",
        }
    }
    outage.failed("HTTP 503")
    assert outage.resting()
    outage.recovered()
    assert not outage.resting()


@pytest.mark.django_db
def test_readiness_tells_the_last_known_state_and_stays_ready(
    rf: RequestFactory,
) -> None:
    assert _embeddings(rf) == (200, "ok")
    outage.failed("HTTP 401")
    assert _embeddings(rf) == (200, "down: HTTP 401")


def _embeddings(rf: RequestFactory) -> tuple[int, str]:
    answer = health.readyz(rf.get("/readyz"))
    return answer.status_code, json.loads(answer.content)["checks"]["embeddings"]
