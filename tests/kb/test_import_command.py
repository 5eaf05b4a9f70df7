import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from kb.enums import ReviewStatus
from kb.models import ContentItem

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "docs"
    made.mkdir()
    (made / "a.md").write_text("# One\n\nText")
    return made


def run(*args: Any, **options: Any) -> tuple[int, str, str]:
    """Exit code, output and errors."""
    out, err = StringIO(), StringIO()
    code = 0
    try:
        call_command("import_content", *args, stdout=out, stderr=err, **options)
    except SystemExit as stop:
        code = int(str(stop.code))
    return code, out.getvalue(), err.getvalue()


def test_the_summary_counts_what_was_done(folder: Path) -> None:
    assert run(str(folder)) == (0, "1 created, 0 changed, 0 skipped\n", "")
    assert run(str(folder)) == (0, "0 created, 0 changed, 1 skipped\n", "")


def test_items_are_approved_unless_a_state_is_given(folder: Path) -> None:
    run(str(folder))
    (folder / "b.md").write_text("# Two\n\nText 2")
    run(str(folder), "--state", "draft")
    states = ContentItem.objects.order_by("title").values_list(
        "governance_review_status", flat=True
    )
    assert list(states) == [ReviewStatus.APPROVED, ReviewStatus.DRAFT]


def test_a_failed_file_is_one_line_and_an_exit_code(folder: Path) -> None:
    (folder / "bad.md").write_text("---\ntype: poem\n---\nText")
    (folder / "c.txt").write_text("Text")
    assert run(str(folder)) == (
        1,
        "1 created, 0 changed, 0 skipped, 1 failed, 1 of other formats left alone\n",
        "docs/bad.md: Unknown type: 'poem'.\n",
    )


def test_a_dry_run_lists_and_writes_nothing(folder: Path) -> None:
    (folder / "people").mkdir()
    (folder / "people" / "b.md").write_text("# Two\n\nText 2")
    code, out, _ = run(str(folder), "--dry-run")
    assert code == 0
    assert out.splitlines() == [
        "would create docs/a.md",
        "would create docs/people/b.md",
        "would create the domain People",
        "Dry run: 2 created, 0 changed, 0 skipped",
    ]
    assert not ContentItem.objects.exists()


def test_quiet_prints_problems_only(folder: Path) -> None:
    (folder / "bad.md").write_text("")
    assert run(str(folder), "--quiet") == (1, "", "docs/bad.md: The file is empty.\n")
    assert run(str(folder / "a.md"), verbosity=0) == (0, "", "")


def test_json_reports_everything(folder: Path) -> None:
    (folder / "bad.md").write_text("")
    code, out, _ = run(str(folder), "--json")
    report = json.loads(out)
    item = ContentItem.objects.get()
    assert code == 1
    assert report["created"] == 1
    assert report["outcomes"] == [
        {
            "path": "docs/a.md",
            "action": "create",
            "title": "One",
            "item_id": str(item.pk),
        }
    ]
    assert report["problems"] == [
        {"path": "docs/bad.md", "reason": "The file is empty."}
    ]


def test_a_path_that_does_not_exist_is_one_line() -> None:
    with pytest.raises(CommandError, match=r"^/nowhere does not exist\.$"):
        run("/nowhere")


def test_columns_are_mapped_by_hand(folder: Path) -> None:
    (folder / "t.csv").write_text("Frage;Antwort\nWo?;Hier\n")
    run(str(folder / "t.csv"), "--columns", "question=Frage, answer=Antwort")
    assert ContentItem.objects.get().title == "Wo?"
    with pytest.raises(CommandError, match="--columns takes FIELD=COLUMN, not 'x=y'"):
        run(str(folder), "--columns", "x=y")
