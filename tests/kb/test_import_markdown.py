from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from accounts.models import User
from accounts.viewer import Viewer
from core.errors import BadInput, NotAllowed
from kb.domain.lifecycle import archive, edit_item
from kb.domain.review import verify
from kb.enums import CadenceKind, ContentType, ReviewStatus
from kb.importers.apply import Applier
from kb.importers.base import Draft, Options
from kb.importers.plan import Action, Decision
from kb.importers.service import Report, import_files
from kb.models import ContentItem, Domain, IndexStatistics, ItemIndex

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)
LATER = datetime(2026, 7, 15, 12, tzinfo=UTC)
FULL = """---
title: "Restore tests: how often?"
type: Q&A pair
domain: Hosting
subtopic: Backups
layer: core
platform: Intranet
source: Handbook
author: [Ann Lee, Bo Ek]
tags: [backup, restore]
summary: Each quarter.
suggested_title: How often are backups tested?
cadence: 180 days
owner: bob
state: in_review
updated: 2026-03-01
reviewer: Somebody
---

Each *quarter*.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "docs"
    made.mkdir()
    return made


@pytest.fixture
def run(folder: Path) -> Callable[..., Report]:
    def run(*paths: Path, now: datetime = NOW, **options: Any) -> Report:
        found = paths or (folder,)
        return import_files(Viewer.system(), found, Options(**options), now)

    return run


Run = Callable[..., Report]


def write(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def counts(report: Report) -> tuple[int, int, int, int]:
    return report.created, report.changed, report.skipped, len(report.problems)


def reasons(report: Report) -> list[tuple[str, str]]:
    return [(problem.path, problem.reason) for problem in report.problems]


def test_front_matter_fills_the_item(folder: Path, run: Run, bob: User) -> None:
    write(folder, "a.md", FULL)
    assert counts(run()) == (1, 0, 0, 0)
    item = ContentItem.objects.get()
    assert item.title == "Restore tests: how often?"
    assert item.content == "Each *quarter*.\n"
    assert item.content_type == ContentType.QA_PAIR
    assert item.primary_domain == Domain.objects.get(name="Hosting")
    assert (item.subtopic, item.layer, item.platform) == ("Backups", "core", "Intranet")
    assert (item.source, item.source_path) == ("Handbook", "docs/a.md")
    assert item.author_name == "Ann Lee, Bo Ek"
    assert item.ai_keywords == ["backup", "restore"]
    assert item.summary == "Each quarter."
    assert item.suggested_title == "How often are backups tested?"
    assert (item.cadence, item.review_cadence_days) == (CadenceKind.PERIOD, 180)
    assert item.next_review_date == date(2026, 8, 28)
    assert item.owner == bob
    assert item.governance_review_status == ReviewStatus.IN_REVIEW
    assert item.content_changed_at == datetime(2026, 3, 1, tzinfo=UTC)
    assert item.summary_data == {"imported": {"reviewer": "Somebody"}}


def test_an_import_is_indexed_counted_and_has_history(folder: Path, run: Run) -> None:
    write(folder, "a.md", "# One\n\nText")
    run()
    item = ContentItem.objects.get()
    assert ItemIndex.objects.get().item == item
    assert IndexStatistics.objects.get().items == 1
    assert item.history.get().history_change_reason == "Import"


def test_a_second_run_changes_nothing(folder: Path, run: Run, bob: User) -> None:
    write(folder, "a.md", FULL)
    write(folder, "sub/b.md", "# Two\n\nText")
    run()
    before = list(ContentItem.objects.order_by("pk").values())
    assert counts(run(now=LATER)) == (0, 0, 2, 0)
    assert list(ContentItem.objects.order_by("pk").values()) == before


def test_the_working_directory_does_not_matter(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, "a.md", "# One\n\nText")
    run()
    monkeypatch.chdir(folder)
    assert counts(run(Path())) == (0, 0, 1, 0)
    monkeypatch.chdir(folder.parent)
    assert counts(run(Path("docs/"))) == (0, 0, 1, 0)


def test_a_changed_file_changes_its_item_and_not_its_governance(
    folder: Path, run: Run, bob: User, alice: User
) -> None:
    write(folder, "a.md", FULL)
    run()
    item = ContentItem.objects.get()
    edit_item(Viewer.system(), item.pk, {"owner": alice, "layer": "edge"}, NOW)
    verify(Viewer.system(), [item.pk], NOW)
    write(folder, "a.md", FULL.replace("Each *quarter*", "Each month"))
    assert counts(run(now=LATER)) == (0, 1, 0, 0)
    item.refresh_from_db()
    assert (item.content, item.layer) == ("Each month.\n", "core")
    assert item.owner == alice
    assert item.governance_review_status == ReviewStatus.APPROVED
    assert item.verified_at is None
    assert item.content_changed_at == datetime(2026, 3, 1, tzinfo=UTC)
    assert counts(run(now=LATER)) == (0, 0, 1, 0)


def test_a_change_without_a_date_counts_from_the_import(folder: Path, run: Run) -> None:
    write(folder, "a.md", "# One\n\nText")
    run()
    write(folder, "a.md", "# One\n\nOther text")
    run(now=LATER)
    assert ContentItem.objects.get().content_changed_at == LATER


def test_an_item_is_known_again_whatever_its_source_became(
    folder: Path, run: Run
) -> None:
    write(folder, "a.md", "---\nsource: Old\n---\n# One\n\nText")
    run()
    item = ContentItem.objects.get()
    edit_item(Viewer.system(), item.pk, {"source": "Renamed"}, NOW)
    assert counts(run()) == (0, 0, 1, 0)
    write(folder, "a.md", "---\nsource: New\n---\n# One\n\nText")
    assert counts(run()) == (0, 1, 0, 0)
    assert ContentItem.objects.get().source == "New"


def test_two_imports_of_the_same_paths_stay_apart(folder: Path, run: Run) -> None:
    write(folder, "a.md", "# One\n\nText")
    assert counts(run(source="Wiki")) == (1, 0, 0, 0)
    assert counts(run(source="Intranet")) == (1, 0, 0, 0)
    assert counts(run(source="Wiki")) == (0, 0, 1, 0)
    assert sorted(ContentItem.objects.values_list("source", flat=True)) == [
        "Intranet",
        "Wiki",
    ]


def test_an_archived_item_stays_archived_and_is_named(folder: Path, run: Run) -> None:
    write(folder, "a.md", "# One\n\nText")
    run()
    archive(Viewer.system(), [ContentItem.objects.get().pk], NOW)
    write(folder, "a.md", "# One\n\nNew text")
    report = run(now=LATER)
    assert counts(report) == (0, 0, 1, 0)
    assert [notice.path for notice in report.notices] == ["docs/a.md"]
    item = ContentItem.objects.get()
    assert (item.content, item.archived_at) == ("Text", NOW)


@pytest.mark.parametrize(
    ("name", "text", "title", "content"),
    [
        ("a.md", "# A *fine* title #\n\nText", "A fine title", "Text"),
        ("a.md", "Title below\n=====\nText", "Title below", "Text"),
        ("how-to_restore.md", "Text\n\n# Later", "How to restore", "Text\n\n# Later"),
        ("guide/index.md", "Text", "Guide", "Text"),
        ("a.md", "---\ntitle: Named\n---\n# NAMED\n\nText", "Named", "Text"),
        ("a.md", "---\ntitle: Named\n---\n# Other\n\nText", "Named", "# Other\n\nText"),
        ("a.md", "---\ntitle: 2026\n---\nText", "2026", "Text"),
        ("a.md", "#hashtag first", "A", "#hashtag first"),
        ("a.md", "    # code\n\nText", "A", "    # code\n\nText"),
        ("a.md", "# C#\n\nText", "C#", "Text"),
    ],
)
def test_the_title_comes_from_front_matter_heading_or_name(
    folder: Path, run: Run, name: str, text: str, title: str, content: str
) -> None:
    write(folder, name, text)
    run()
    item = ContentItem.objects.get()
    assert (item.title, item.content) == (title, content)


def test_a_title_given_in_the_hub_survives_where_the_file_has_none(
    folder: Path, run: Run
) -> None:
    write(folder, "a.md", "Text")
    run()
    item = ContentItem.objects.get()
    edit_item(Viewer.system(), item.pk, {"title": "Better"}, NOW)
    write(folder, "a.md", "Other text")
    run()
    item.refresh_from_db()
    assert (item.title, item.content) == ("Better", "Other text")


def test_the_domain_comes_from_file_option_or_top_folder(
    folder: Path, run: Run
) -> None:
    Domain.objects.create(name="Data Protection")
    write(folder, "data-protection/deep/a.md", "# In a folder")
    write(folder, "b.md", "# At the root")
    write(folder, "c.md", "---\ndomain: data protection\n---\n# Says so")
    run()
    names = dict(ContentItem.objects.values_list("title", "primary_domain__name"))
    assert names == {
        "In a folder": "Data Protection",
        "At the root": None,
        "Says so": "Data Protection",
    }
    write(folder, "other/d.md", "# By option")
    run(domain="Given")
    item = ContentItem.objects.get(title="By option")
    assert item.primary_domain == Domain.objects.get(name="Given")
    assert Domain.objects.get(name="Given").history.count() == 1


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (
            "content_type: artcle",
            "Unknown content_type: 'artcle'. Did you mean article?",
        ),
        ("type: poem", "Unknown type: 'poem'."),
        ("state: aproved", "Unknown state: 'aproved'. Did you mean approved?"),
        ("state: review_overdue", "Unknown state: 'review_overdue'."),
        ("owner: bobb", "Unknown owner: 'bobb'. Did you mean bob?"),
        ("updated: soon", "updated must be a date such as 2026-03-31, not 'soon'."),
        (
            "date: 2026-02-30",
            "date must be a date such as 2026-03-31, not '2026-02-30'.",
        ),
        ("updated: 2026-06-16", "updated lies in the future: 2026-06-16."),
        ("cadence: 0", "cadence must be 1 to 36500 days."),
        (
            "cadence: often",
            "cadence must be inherit, evergreen, a number of days or a date such as",
        ),
        ("author: {a: b}", "author must be a text."),
        (f"layer: {'x' * 41}", "layer is longer than 40 characters."),
        (f"domain: {'x' * 121}", "domain is longer than 120 characters."),
    ],
)
def test_a_bad_value_fails_its_file_only(
    folder: Path, run: Run, bob: User, line: str, reason: str
) -> None:
    write(folder, "bad.md", f"---\n{line}\n---\nText")
    write(folder, "good.md", "# Good\n\nText")
    report = run()
    assert counts(report) == (1, 0, 0, 1)
    (problem,) = reasons(report)
    assert problem[0] == "docs/bad.md"
    assert problem[1].startswith(reason)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-03-01", datetime(2026, 3, 1, tzinfo=UTC)),
        ("2026-03-01 10:30:00 +0200", datetime(2026, 3, 1, 8, 30, tzinfo=UTC)),
        ("2026-03-01T10:30:00Z", datetime(2026, 3, 1, 10, 30, tzinfo=UTC)),
        ("1 March 2026", datetime(2026, 3, 1, tzinfo=UTC)),
        ("Mar 1, 2026", datetime(2026, 3, 1, tzinfo=UTC)),
    ],
)
def test_dates_are_read_as_people_write_them(
    folder: Path, run: Run, text: str, expected: datetime
) -> None:
    write(folder, "a.md", f"---\ndate: {text}\n---\n# One")
    run()
    assert ContentItem.objects.get().content_changed_at == expected


@pytest.mark.parametrize(
    ("line", "kind", "days", "due"),
    [
        ("evergreen", CadenceKind.EVERGREEN, None, None),
        ("inherit", CadenceKind.INHERIT, None, None),
        ("30", CadenceKind.PERIOD, 30, date(2026, 7, 15)),
        ("2027-01-31", CadenceKind.FIXED, None, date(2027, 1, 31)),
        ("30\nnext_review: 2026-07-01", CadenceKind.PERIOD, 30, date(2026, 7, 1)),
    ],
)
def test_a_cadence_sets_the_next_review(
    folder: Path, run: Run, line: str, kind: str, days: int | None, due: date | None
) -> None:
    write(folder, "a.md", f"---\ncadence: {line}\n---\n# One")
    run()
    item = ContentItem.objects.get()
    assert (item.cadence, item.review_cadence_days) == (kind, days)
    assert item.next_review_date == due


def test_keywords_may_be_a_comma_text_and_are_cut_with_a_notice(
    folder: Path, run: Run
) -> None:
    write(folder, "a.md", "---\nkeywords: a, b; a ,c\n---\n# One")
    many = ", ".join(f"k{number}" for number in range(60))
    write(folder, "b.md", f"---\ntags: {many}\n---\n# Two")
    report = run()
    one, two = ContentItem.objects.order_by("title")
    assert one.ai_keywords == ["a", "b", "c"]
    assert two.ai_keywords == [f"k{number}" for number in range(50)]
    assert two.summary_data == {"imported": {"tags": many}}
    assert [notice.path for notice in report.notices] == ["docs/b.md"]


def test_a_title_too_long_is_cut_and_kept_in_the_content(
    folder: Path, run: Run
) -> None:
    title = "word " * 150
    write(folder, "a.md", f"---\ntitle: {title}\n---\nText")
    report = run()
    item = ContentItem.objects.get()
    assert item.title == title[:500].strip()
    assert item.content == f"# {title.strip()}\n\nText"
    assert len(report.notices) == 1


def test_equal_files_are_both_imported_with_a_notice(folder: Path, run: Run) -> None:
    write(folder, "a.md", "# One\n\nText")
    write(folder, "b.md", "# One\n\nText")
    report = run()
    assert counts(report) == (2, 0, 0, 0)
    assert [str(notice) for notice in report.notices] == [
        "docs/b.md: Same content as docs/a.md."
    ]


def test_a_dry_run_names_near_duplicates_and_writes_nothing(
    folder: Path, run: Run, tmp_path: Path
) -> None:
    write(folder, "a.md", "# Backup and restore policy\n\nText")
    write(
        folder,
        "c.md",
        "---\nsuggested_title: Wholly different\n---\n# How we encrypt all laptops\n",
    )
    run()
    new = tmp_path / "new"
    write(new, "x/a.md", "# Backup and restore policy!\n\nOther")
    write(new, "x/b.md", "# Backup and restore policies\n\nOther 2")
    write(new, "x/c.md", "# How we encrypt all the laptops\n\nOther 3")
    write(new, "x/d.md", "# Backup\n\nOther 4")
    report = run(new, dry_run=True)
    assert counts(report) == (4, 0, 0, 0)
    assert report.new_domains == ["X"]
    assert [str(notice) for notice in report.notices] == [
        "new/x/a.md: Same title as the item 'Backup and restore policy'.",
        "new/x/b.md: Much like the item 'Backup and restore policy'.",
        "new/x/c.md: Much like the item 'How we encrypt all laptops'.",
    ]
    assert ContentItem.objects.count() == 2
    assert not Domain.objects.exists()


def test_viewers_import_nothing(folder: Path, reader: Viewer) -> None:
    with pytest.raises(NotAllowed):
        import_files(reader, [folder], Options(), NOW)


def test_a_path_that_does_not_exist_is_refused(folder: Path, run: Run) -> None:
    with pytest.raises(BadInput, match=r"nowhere does not exist\."):
        run(folder, folder / "nowhere")


def test_progress_tells_files_done_of_all(folder: Path) -> None:
    write(folder, "a.md", "# One")
    write(folder, "b.md", "")
    seen: list[tuple[int, int]] = []
    import_files(Viewer.system(), [folder], Options(), NOW, lambda *at: seen.append(at))
    assert seen == [(1, 2), (2, 2)]


def test_one_refused_item_does_not_stop_its_batch(db: None) -> None:
    applier = Applier(Viewer.system(), Options(), NOW)
    layers = {"a.md": "core", "b.md": "x" * 50, "c.md": "edge"}
    applier.apply(
        [
            Decision(Action.CREATE, Draft(path, "", {"title": path, "layer": layer}))
            for path, layer in layers.items()
        ]
    )
    assert set(ContentItem.objects.values_list("title", flat=True)) == {"a.md", "c.md"}
    assert set(applier.ids) == {"a.md", "c.md"}
    assert set(applier.problems) == {"b.md"}
