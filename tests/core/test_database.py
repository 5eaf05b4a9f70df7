"""A transaction that is bounded in time."""

import pytest
from django.db import DataError, connection

from core.database import limited
from core.errors import Unavailable

pytestmark = pytest.mark.django_db


class Slow(Unavailable):
    def __init__(self) -> None:
        super().__init__("Too slow.")


def run(sql: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return str(cursor.fetchone()[0])


def test_a_statement_over_the_limit_raises_what_was_agreed() -> None:
    with pytest.raises(Slow, match="Too slow"), limited(50, Slow):
        run("SELECT pg_sleep(5)")
    assert run("SELECT 1") == "1"


def test_the_limit_is_of_all_statements_together() -> None:
    with pytest.raises(Slow), limited(200, Slow):
        list(map(run, ["SELECT pg_sleep(0.08)"] * 5))


def test_settings_hold_inside() -> None:
    with limited(1000, Slow, {"jit": "off"}):
        assert (run("SHOW jit"), run("SHOW statement_timeout")) == ("off", "1s")


def test_other_failures_stay_what_they_are() -> None:
    with pytest.raises(DataError), limited(1000, Slow):
        run("SELECT 1 / 0")
