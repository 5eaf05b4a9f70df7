from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from accounts.viewer import Viewer
from kb.enums import ContentType, ReviewStatus
from kb.importers.base import Options
from kb.importers.service import Report, import_files
from kb.models import ContentItem

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)
LATER = datetime(2026, 7, 15, 12, tzinfo=UTC)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    (tmp_path / "kb").mkdir()
    return tmp_path / "kb" / "answers.csv"


def run(path: Path, text: str | bytes, now: datetime = NOW, **options: Any) -> Report:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return import_files(Viewer.system(), [path], Options(**options), now)


def counts(report: Report) -> tuple[int, int, int, int]:
    return report.created, report.changed, report.skipped, len(report.problems)


def answers() -> dict[str, str]:
    return dict(ContentItem.objects.values_list("title", "content"))


def problems(report: Report) -> list[str]:
    return [str(problem) for problem in report.problems]


def test_columns_are_recognised_by_name(table: Path) -> None:
    text = (
        "Response,QUESTION,Category,Last Updated,Keywords,Owner,Region\n"
        '"Each night,\nto two sites.",Backups?,Hosting,2026-03-01,"a, b",Ann,North\n'
    )
    assert counts(run(table, text)) == (1, 0, 0, 0)
    item = ContentItem.objects.get()
    assert (item.title, item.content) == ("Backups?", "Each night,\nto two sites.")
    assert item.content_type == ContentType.QA_PAIR
    assert item.primary_domain is not None
    assert item.primary_domain.name == "Hosting"
    assert item.content_changed_at == datetime(2026, 3, 1, tzinfo=UTC)
    assert (item.ai_keywords, item.author_name) == (["a", "b"], "Ann")
    assert item.summary_data == {"imported": {"Region": "North"}}
    assert item.source_path.startswith("answers.csv#")


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_delimiters_and_encodings_are_recognised(
    table: Path, delimiter: str, encoding: str
) -> None:
    rows = [["Question", "Answer"], ["Wo?", "Köln, “hier”; da"]]
    quoted = [[cell.join('""') for cell in row] for row in rows]
    text = "\r\n".join(delimiter.join(row) for row in quoted)
    assert counts(run(table, text.encode(encoding))) == (1, 0, 0, 0)
    assert answers() == {"Wo?": "Köln, “hier”; da"}


def test_columns_can_be_mapped_by_hand(table: Path) -> None:
    text = "Frage;Antwort;Thema\nWo?;Hier;Orte\n"
    (problem,) = problems(run(table, text))
    assert problem == (
        "answers.csv: No column for the question among Frage, Antwort, Thema. "
        "Name it: --columns question=COLUMN"
    )
    columns = {"question": "frage", "answer": "Antwort", "domain": "Thema"}
    assert counts(run(table, text, columns=columns)) == (1, 0, 0, 0)
    assert answers() == {"Wo?": "Hier"}
    wrong = {"question": "Farge", "answer": "Antwort"}
    assert problems(run(table, text, columns=wrong)) == [
        "answers.csv: Unknown column: 'Farge'. Did you mean Frage?"
    ]


def test_rows_that_say_too_little_are_named_by_number(table: Path) -> None:
    text = 'q,a\nOne?,1\n\n,2\nThree?,\n"Four\n?",4\none? ,5\nSix?,6,7\n'
    report = run(table, text)
    misplaced = "a delimiter or a quotation mark is out of place."
    assert problems(report) == [
        "answers.csv, row 4: It has no question.",
        "answers.csv, row 5: It has no answer.",
        "answers.csv, row 7: It repeats the question of row 2.",
        f"answers.csv, row 8: It has 3 cells and the header 2: {misplaced}",
    ]
    assert answers() == {"One?": "1", "Four ?": "4"}


def test_a_bad_value_fails_its_row_only(table: Path) -> None:
    text = "q,a,updated,state\nOne?,1,31/03/2026,\nTwo?,2,,in_review\n"
    report = run(table, text)
    (problem,) = problems(report)
    assert problem == (
        "answers.csv, row 2: updated must be a date such as 2026-03-31, "
        "not '31/03/2026'."
    )
    item = ContentItem.objects.get()
    assert item.governance_review_status == ReviewStatus.IN_REVIEW


def test_a_quotation_mark_never_closed_is_told_and_keeps_the_rows_before(
    table: Path,
) -> None:
    report = run(table, 'q,a\nOne?,1\nTwo?,"2\nThree?,3\n')
    assert answers() == {"One?": "1"}
    (problem,) = problems(report)
    assert problem == (
        "answers.csv, after row 2: The rest of the table cannot be read: "
        "unexpected end of data."
    )


def test_rows_keep_their_items_when_the_table_grows(table: Path) -> None:
    run(table, "q,a\nOne?,1\nTwo?,2\n")
    before = list(ContentItem.objects.order_by("title").values())
    grown = "q,a\nZero?,0\nTwo?,2\nOne?,1\n"
    assert counts(run(table, grown, LATER)) == (1, 0, 2, 0)
    assert (
        list(ContentItem.objects.exclude(title="Zero?").order_by("title").values())
        == before
    )


def test_a_changed_answer_changes_its_item(table: Path) -> None:
    run(table, "q,a\nOne?,1\nTwo?,2\n")
    assert counts(run(table, "q,a\nOne?,1\nTwo?,3\n", LATER)) == (0, 1, 1, 0)
    assert answers() == {"One?": "1", "Two?": "3"}


def test_a_cell_may_be_longer_than_the_readers_own_limit(table: Path) -> None:
    answer = "word " * 40_000
    assert counts(run(table, f'q,a\nOne?,"{answer}"\n')) == (1, 0, 0, 0)
    assert answers() == {"One?": answer.strip()}


@pytest.mark.parametrize("text", ["", "\n\n", "q,a\n", "sep=;\nq;a\nOne?;1\n"])
def test_tables_with_few_rows_are_read(table: Path, text: str) -> None:
    report = run(table, text)
    expected = {"": 1, "\n\n": 1}.get(text, 0)
    assert len(report.problems) == expected
    assert report.created == text.count("One?")


def test_a_table_in_a_folder_takes_the_folders_domain(table: Path) -> None:
    nested = table.parent / "data-protection"
    nested.mkdir()
    (nested / "t.csv").write_text("q,a\nOne?,1\n")
    import_files(Viewer.system(), [table.parent], Options(), NOW)
    item = ContentItem.objects.get()
    assert item.primary_domain is not None
    assert item.primary_domain.name == "Data protection"
