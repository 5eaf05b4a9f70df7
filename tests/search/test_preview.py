"""The live preview: literal, ordered by merit, permitted."""

import pytest

from accounts.viewer import Viewer
from core.errors import BadInput
from kb.domain.lifecycle import archive, supersede
from kb.enums import ReviewStatus
from search.preview import PreviewQuery, preview
from tests.factories.library import NOW, item

pytestmark = pytest.mark.django_db


def found(text: str, viewer: Viewer, limit: int | None = None) -> list[str]:
    return [row.title for row in preview(PreviewQuery.of(text, limit), viewer)]


@pytest.mark.parametrize("literal", ["50%", "a_b", "c:\\temp", "it's", '"quoted"'])
def test_pattern_characters_are_literal(literal: str, reader: Viewer) -> None:
    item("Literal", f"We reach {literal} here.", embedded=False)
    item("Other", "We reach 500, axb, c:xtemp, its, quoted here.", embedded=False)
    assert found(literal, reader) == ["Literal"]


def test_order_is_exact_then_prefix_then_title_then_keywords_then_text(
    reader: Viewer,
) -> None:
    item("In the text only", "About backups.", embedded=False)
    item("By keyword", "Nothing.", ai_keywords=["backups"], embedded=False)
    item("Our backups", "Nothing.", embedded=False)
    item("Backups at night", "Nothing.", embedded=False)
    item("Backups", "Nothing.", embedded=False)
    assert found("backups", reader) == [
        "Backups",
        "Backups at night",
        "Our backups",
        "By keyword",
        "In the text only",
    ]
    assert found("backups", reader, limit=2) == ["Backups", "Backups at night"]


def test_case_and_accents_do_not_matter(reader: Viewer) -> None:
    item("Étudiant", "Texte.", embedded=False)
    assert found("ETUDIANT", reader) == ["Étudiant"]


def test_two_characters_match_titles_only(reader: Viewer) -> None:
    item("Title with qz", "Nothing.", embedded=False)
    item("Other", "Text with qz.", embedded=False)
    assert found("qz", reader) == ["Title with qz"]


def test_drafts_archived_and_replaced_items_never_show(
    editor: Viewer, reader: Viewer
) -> None:
    item("Backup draft", governance_review_status=ReviewStatus.DRAFT, embedded=False)
    gone = item("Backup archived", embedded=False)
    archive(editor, [gone.pk], NOW)
    old, new = item("Backup old", embedded=False), item("Backup new", embedded=False)
    supersede(editor, old.pk, new.pk, NOW, "Newer")
    assert found("backup", editor) == found("backup", reader) == ["Backup new"]


def test_a_limit_is_clamped_above_and_refused_below() -> None:
    assert PreviewQuery.of("abc", "500").limit == 20
    assert PreviewQuery.of("abc").limit == 8
    for bad in ("0", "-3", "x", "1.5"):
        with pytest.raises(BadInput) as refused:
            PreviewQuery.of("abc", bad)
        assert refused.value.field == "limit"


@pytest.mark.parametrize("empty", [None, "", "   ", "\x00"])
def test_an_empty_query_is_refused(empty: str | None) -> None:
    with pytest.raises(BadInput) as refused:
        PreviewQuery.of(empty)
    assert refused.value.field == "q"
