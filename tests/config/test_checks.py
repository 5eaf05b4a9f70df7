"""What the database server must offer."""

import pytest

from config import checks


@pytest.mark.django_db
def test_a_recent_pgvector_passes() -> None:
    assert checks.check_pgvector(None, databases=["default"]) == []


@pytest.mark.django_db
def test_an_old_pgvector_is_refused_in_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(checks, "PGVECTOR_MINIMUM", (99, 0, 1))

    [problem] = checks.check_pgvector(None, databases=["default"])

    assert problem.id == "config.E001"
    assert "install 99.0.1 or later" in problem.msg
    assert "\n" not in problem.msg


def test_no_database_is_asked_unless_named() -> None:
    assert checks.check_pgvector(None, databases=None) == []
