"""The data folder: where things lie, and the addresses made from it."""

from pathlib import Path

import pytest

from config import onebox


def test_the_secret_key_is_made_once_and_private(tmp_path: Path) -> None:
    layout = onebox.Layout.of(tmp_path / "hub")

    key = onebox.secret_key(layout)

    assert len(key) >= 50
    assert onebox.secret_key(layout) == key
    assert layout.secret_key_file.stat().st_mode & 0o777 == 0o600
    assert list(layout.data.iterdir()) == [layout.secret_key_file]


def test_a_layout_alone_touches_nothing(tmp_path: Path) -> None:
    layout = onebox.Layout.of(tmp_path / "hub")

    onebox.database(layout)
    onebox.redis_url(layout)

    assert not layout.data.exists()


def test_sockets_lie_in_the_data_folder(tmp_path: Path) -> None:
    layout = onebox.Layout.of("/srv/hub")

    assert layout.sockets == Path("/srv/hub/run")
    assert onebox.database(layout)["HOST"] == "/srv/hub/run"


@pytest.mark.parametrize("folder", ["/srv/" + "long" * 30, "/srv/a hub, with a comma"])
def test_a_long_or_odd_folder_has_its_sockets_under_a_short_name(folder: str) -> None:
    layout = onebox.Layout.of(folder)

    assert len(str(layout.sockets)) < 60
    assert " " not in str(layout.sockets)
    assert layout.sockets == onebox.Layout.of(folder).sockets
    assert layout.sockets != onebox.Layout.of(folder + "2").sockets


def test_the_queue_has_a_database_apart_from_the_cache() -> None:
    layout = onebox.Layout.of("/srv/hub")

    cache = onebox.redis_url(layout)

    assert cache == "unix:///srv/hub/run/valkey.sock"
    assert onebox.broker_url(cache) == (
        "redis+socket:///srv/hub/run/valkey.sock?virtual_host=1"
    )


def test_the_address_of_a_real_server_is_the_broker_as_it_is() -> None:
    assert onebox.broker_url("redis://cache:6379/0") == "redis://cache:6379/0"


def test_a_folder_that_cannot_be_made_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(onebox.OneboxError, match="cannot be made") as failure:
        onebox.secret_key(onebox.Layout.of(tmp_path / "file" / "hub"))

    assert "\n" not in str(failure.value)
