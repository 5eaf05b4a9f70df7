"""Pages of failures say what happened, and need neither database nor request."""

import pytest
from django.test import RequestFactory

from core.outages import DATABASE_MESSAGE, error_response, server_error


def test_a_stopped_database_reads_as_what_it_is(rf: RequestFactory) -> None:
    request = rf.get("/browse", headers={"Accept": "text/html"})
    page = error_response(request, 500, "DATABASE_UNAVAILABLE", DATABASE_MESSAGE)
    said = page.content.decode()
    assert page.status_code == 500
    assert DATABASE_MESSAGE in said
    assert "Something broke" not in said


def test_any_other_failure_was_recorded(rf: RequestFactory) -> None:
    page = server_error(rf.get("/browse", headers={"Accept": "text/html"}))
    assert "Something broke on our side" in page.content.decode()
    assert "It was recorded." in page.content.decode()


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_a_program_gets_the_same_sentence(accept: str, rf: RequestFactory) -> None:
    request = rf.get("/api/search", headers={"Accept": accept})
    answer = error_response(request, 500, "DATABASE_UNAVAILABLE", DATABASE_MESSAGE)
    assert DATABASE_MESSAGE in answer.content.decode()
