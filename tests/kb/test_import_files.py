import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from accounts.viewer import Viewer
from kb.importers import base
from kb.importers.base import Options
from kb.importers.service import Report, import_files
from kb.models import ContentItem

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)


def run(*paths: Path) -> Report:
    return import_files(Viewer.system(), paths, Options(), NOW)


def stored() -> dict[str, str]:
    return dict(ContentItem.objects.values_list("source_path", "content"))


def outcome(report: Report) -> tuple[int, list[str]]:
    return report.created, [str(problem) for problem in report.problems]


@pytest.mark.parametrize(
    ("data", "content", "noticed"),
    [
        ("Café\r\nbar\rbaz".encode(), "Café\nbar\nbaz", False),
        (b"\xef\xbb\xbfCaf\xc3\xa9", "Café", False),
        ("Café 测试".encode("utf-16"), "Café 测试", False),
        ("Café – “x”".encode("cp1252"), "Café – “x”", True),
        (b"a\x00b", "ab", True),
    ],
)
def test_encodings_are_recognised(
    tmp_path: Path, data: bytes, content: str, noticed: bool
) -> None:
    (tmp_path / "a.md").write_bytes(data)
    report = run(tmp_path / "a.md")
    assert stored() == {"a.md": content}
    assert bool(report.notices) == noticed


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
        b"%PDF-1.7 text",
        bytes(range(256)) * 4,
        "no mark".encode("utf-16-le"),
        b"\x81\x8d\x8f",
        b"",
        b"  \n",
    ],
)
def test_what_is_no_text_is_a_problem(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.md").write_bytes(data)
    (tmp_path / "b.md").write_bytes(b"Good")
    report = run(tmp_path)
    assert report.created == 1
    assert [problem.path for problem in report.problems] == [f"{tmp_path.name}/a.md"]


def test_hidden_files_and_folders_are_left_out(tmp_path: Path) -> None:
    for name in (".git/a.md", ".b.md", "c/.d/e.md", "c/f.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("Text")
    run(tmp_path)
    assert list(stored()) == [f"{tmp_path.name}/c/f.md"]


def test_links_are_followed_only_within_the_folder(tmp_path: Path) -> None:
    inside = tmp_path / "in"
    inside.mkdir()
    (tmp_path / "secret.md").write_text("Secret")
    (inside / "a.md").write_text("Text")
    (inside / "leak.md").symlink_to(tmp_path / "secret.md")
    (inside / "same.md").symlink_to(inside / "a.md")
    (inside / "broken.md").symlink_to(inside / "gone.md")
    (inside / "loop").symlink_to(inside)
    created, problems = outcome(run(inside))
    assert created == 2
    assert problems == [
        "in/broken.md: This is not a file.",
        "in/leak.md: This link leads out of the folder.",
    ]
    assert "Secret" not in stored().values()


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.md")
    assert outcome(run(tmp_path)) == (
        0,
        [f"{tmp_path.name}/a.md: This is not a file."],
    )


def test_a_huge_file_is_a_problem(tmp_path: Path) -> None:
    with (tmp_path / "a.md").open("wb") as file:
        file.truncate(base.MAX_FILE_BYTES + 1)
    assert outcome(run(tmp_path)) == (
        0,
        [f"{tmp_path.name}/a.md: It is larger than 20 MB."],
    )


def test_other_formats_are_counted_in_a_folder_and_refused_by_name(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.md").write_text("Text")
    (tmp_path / "b.xyz").write_text("Text")
    assert run(tmp_path).ignored == 1
    created, problems = outcome(run(tmp_path / "b.xyz"))
    assert created == 0
    assert problems[0].startswith("b.xyz: This format cannot")


def test_a_file_named_twice_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.md").write_text("Text")
    assert outcome(run(tmp_path, tmp_path / "sub", tmp_path)) == (1, [])


def test_two_files_of_one_name_do_not_overwrite_each_other(tmp_path: Path) -> None:
    for folder in ("x/docs", "y/docs"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "a.md").write_text(folder)
    created, problems = outcome(run(tmp_path / "x/docs", tmp_path / "y/docs"))
    assert created == 1
    assert "has the same name here; import it with another source." in problems[0]


def test_odd_names_are_imported(tmp_path: Path) -> None:
    (tmp_path / "caf\u0065\u0301 100% 'x'.MD").write_text("Text")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff.md")).write_text("Text 2")
    assert outcome(run(tmp_path)) == (2, [])
    assert sorted(stored()) == [
        f"{tmp_path.name}/bad\\xff.md",
        f"{tmp_path.name}/caf\u00e9 100% 'x'.MD",
    ]
