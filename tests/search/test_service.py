"""The one search: who finds what, in which order, and why."""

from datetime import timedelta

import pytest

from accounts.viewer import Viewer
from core.errors import BadInput
from kb.domain.lifecycle import archive, create_items, supersede
from kb.domain.terms import refresh_statistics
from kb.embedding import embed_missing
from kb.enums import ContentType, ReviewStatus
from kb.filters import ItemFilters
from kb.models import ContentItem, ItemIndex
from search import ranking
from search.present import answer
from search.service import search
from search.types import Mode, SearchQuery, SearchResults
from tests.factories.library import NOW, domain, item, unsaved

pytestmark = pytest.mark.django_db


def ask(text: str, viewer: Viewer, **values: object) -> SearchResults:
    refresh_statistics(NOW)
    return search(SearchQuery.of(text, **values), viewer, NOW)  # type: ignore[arg-type]


def titles(results: SearchResults) -> list[str]:
    return [hit.item.title for hit in results.hits]


def test_the_item_that_speaks_of_the_query_comes_first(reader: Viewer) -> None:
    item("Holiday allowance", "Staff take 25 days of holiday a year.")
    item("Backup policy", "Backups run nightly and are restored each quarter.")
    assert titles(ask("when do backups run", reader))[0] == "Backup policy"


def test_an_exact_title_stands_first_and_says_so(reader: Viewer) -> None:
    for number in range(5):
        item(f"Backup of system {number}", "backup backup backup restore " * 20)
    item("Backup", "See the other page.")
    first = ask("  bäckup. ", reader).hits[0]
    assert (first.item.title, first.pinned, first.relevance) == (
        "Backup",
        "exact title",
        1.0,
    )


def test_a_quoted_phrase_is_found_literally_and_pinned(reader: Viewer) -> None:
    item("One", "We restore a backup within four hours.")
    item("Two", "Four hours within a backup we restore.")
    results = ask('"backup within four hours"', reader)
    first = results.hits[0]
    assert (first.item.title, first.pinned) == ("One", "exact phrase")
    assert results.hits[1].pinned is None


@pytest.mark.parametrize(
    "token",
    ["W-2", "P-8A", "H52.1", ".test", "NT_SUCCESS", "C++", "ISO-27001", "$_GET"],
)
def test_a_rare_code_inside_a_sentence_is_looked_up(token: str, reader: Viewer) -> None:
    item("Certificates", f"Here the code {token} is explained.")
    item("Which form is it that people need", "which form is it that people need now")
    first = ask(f"which form is {token} that people need", reader).hits[0]
    assert (first.item.title, first.pinned) == ("Certificates", "rare code")


def test_a_lone_word_is_looked_up_as_a_name_unless_it_is_an_ordinary_one(
    reader: Viewer,
) -> None:
    item("Runbook", "Restart wombatd after the backups ran.")
    assert ask("wombatd", reader).hits[0].pinned == "rare code"
    for ordinary in ("backups", "restart", "runbook after"):
        assert ask(ordinary, reader).hits[0].pinned is None


def test_accents_and_han_inside_a_sentence_are_found_both_ways(reader: Viewer) -> None:
    item("French", "Un étudiant arrive.")
    item("Chinese", "The word 测试 means test.")
    assert titles(ask("etudiant", reader, mode="keyword")) == ["French"]
    assert titles(ask("测试", reader, mode="keyword")) == ["Chinese"]


def test_filters_and_offset_are_inside_the_query(reader: Viewer) -> None:
    rare = domain("Rare")
    items = [
        unsaved(
            f"Backup note {n}", "backup " * 5, primary_domain=rare if n < 40 else None
        )
        for n in range(120)
    ]
    create_items(Viewer.system(), items, NOW)
    embed_missing()
    filters = ItemFilters(domain=("rare",))
    first = ask("backup note", reader, filters=filters, limit=20)
    second = ask("backup note", reader, filters=filters, limit=20, offset=20)
    third = ask("backup note", reader, filters=filters, limit=20, offset=40)
    assert (len(first.hits), len(second.hits), len(third.hits)) == (20, 20, 0)
    assert first.total == second.total == third.total == 40
    assert (third.total_is_exact, third.has_more) == (first.total_is_exact, False)
    ids = {hit.id for hit in first.hits} | {hit.id for hit in second.hits}
    assert len(ids) == 40


def test_drafts_archived_and_unembedded_items_are_left_out_for_everyone(
    governor: Viewer, reader: Viewer
) -> None:
    item("Backup draft", governance_review_status=ReviewStatus.DRAFT)
    gone = item("Backup archived")
    archive(governor, [gone.pk], NOW)
    item("Backup unembedded", embedded=False)
    item("Backup findable")
    ItemIndex.objects.filter(item__title="Backup unembedded").update(
        recipe="", embedding=None
    )
    for viewer in (governor, reader):
        results = ask("backup", viewer)
        assert (titles(results), results.total) == (["Backup findable"], 1)


def test_keyword_mode_needs_no_embedding_and_says_what_it_did(reader: Viewer) -> None:
    item("Backup unembedded")
    ItemIndex.objects.update(recipe="", embedding=None)
    results = ask("backup", reader, mode="keyword")
    assert (titles(results), results.mode, results.degraded) == (
        ["Backup unembedded"],
        Mode.KEYWORD,
        ("keyword",),
    )


def test_superseded_items_come_only_when_asked_for(editor: Viewer) -> None:
    old, new = item("Backup answer old"), item("Backup answer new")
    supersede(editor, old.pk, new.pk, NOW, "New figures")
    assert titles(ask("backup answer", editor)) == ["Backup answer new"]
    both = ask("backup answer", editor, filters=ItemFilters(include_superseded=True))
    assert sorted(titles(both)) == ["Backup answer new", "Backup answer old"]


def test_a_replaced_hit_leads_to_the_item_in_use_with_the_reason(
    editor: Viewer, reader: Viewer
) -> None:
    first, second, third = (item(f"Backup answer {n}") for n in (1, 2, 3))
    supersede(editor, first.pk, second.pk, NOW, "New figures")
    supersede(editor, second.pk, third.pk, NOW, "New site")
    query = SearchQuery.of(
        "backup answer", filters=ItemFilters(include_superseded=True)
    )
    told = {
        hit["title"]: (hit["superseded_by"], hit["superseded_reason"])
        for hit in answer(search(query, reader, NOW))["results"]
    }
    assert told == {
        "Backup answer 1": (str(third.pk), "New figures"),
        "Backup answer 2": (str(third.pk), "New site"),
        "Backup answer 3": (None, None),
    }


def test_the_score_is_the_weighted_sum_of_the_returned_parts(reader: Viewer) -> None:
    ContentItem.objects.all().delete()
    item("Backup policy", "Backups run nightly.", author_name="Zoe Lindqvist")
    winner = item("Backup offer", "How we back up.", now=NOW - timedelta(days=90))
    ContentItem.objects.filter(pk=winner.pk).update(bids_won=1, bids_decided=2)
    results = ask("backup by zoe lindqvist", reader)
    assert len(results.hits) == 2
    for hit in results.hits:
        assert 0.55 <= hit.parts.weights.cosine <= 0.8
        p, w = hit.parts, hit.parts.weights
        expected = p.win_factor * (
            w.cosine * p.cosine
            + w.title * p.title
            + w.body * p.body
            + w.author * p.author
            + w.recency * p.recency
        )
        assert hit.score == pytest.approx(expected, abs=1e-9)
    by_title = {hit.item.title: hit.parts for hit in results.hits}
    assert by_title["Backup offer"].win_factor == pytest.approx(1.015)
    assert by_title["Backup policy"].win_factor == 1.0
    assert by_title["Backup policy"].author == 1.0
    assert (by_title["Backup policy"].recency, by_title["Backup offer"].recency) == (
        1,
        0,
    )


def test_weights_sum_to_one_wherever_cosine_moves() -> None:
    for cosine in (0.0, 0.55, 0.62, 0.7, 0.8):
        moved = ranking.WEIGHTS.moved(cosine)
        total = moved.cosine + moved.title + moved.body + moved.author + moved.recency
        assert total == pytest.approx(1.0)
        assert moved.title / moved.body == pytest.approx(1.5)


def test_a_lexical_match_below_the_threshold_is_still_found(reader: Viewer) -> None:
    item("Long report", "zebrafish " + "other words entirely " * 50)
    assert titles(ask("zebrafish", reader, threshold=1)) == ["Long report"]


def test_nothing_found_is_an_answer(reader: Viewer) -> None:
    item("Backup policy", content_type=ContentType.POLICY)
    results = ask("backup", reader, filters=ItemFilters(content_type=("template",)))
    assert (results.hits, results.total, results.total_is_exact) == ((), 0, True)


def test_an_unknown_domain_is_refused_with_the_close_match(reader: Viewer) -> None:
    item("Backup policy", primary_domain=domain("Information security"))
    with pytest.raises(BadInput, match="Did you mean information security"):
        ask("backup", reader, filters=ItemFilters(domain=("information securty",)))


def test_an_unknown_value_never_names_what_only_editors_see(
    reader: Viewer, editor: Viewer
) -> None:
    item(
        "Draft",
        primary_domain=domain("Project Nightjar"),
        governance_review_status=ReviewStatus.DRAFT,
    )
    filters = ItemFilters(domain=("project nightjr",))
    with pytest.raises(BadInput) as refused:
        ask("draft", reader, filters=filters)
    assert "nightjar" not in refused.value.message
    with pytest.raises(BadInput, match="project nightjar"):
        ask("draft", editor, filters=filters)


def test_a_snippet_marks_the_words_and_nothing_else_is_html(reader: Viewer) -> None:
    item("Restores", "<script>alert(1)</script> We test restores & backups quarterly.")
    snippet = ask("restores backups", reader).hits[0].snippet
    assert "<mark>restores</mark>" in snippet
    assert "<mark>backups</mark>" in snippet
    assert "<script" not in snippet


def test_queries_are_constant_in_results(
    reader: Viewer, django_assert_num_queries: object
) -> None:
    item("Backup one")
    counts = []
    for total in (1, 3):
        while ContentItem.objects.count() < total:
            item(f"Backup {ContentItem.objects.count()}")
        refresh_statistics(NOW)
        with django_assert_num_queries(8) as queries:  # type: ignore[operator]
            search(SearchQuery.of("backup"), reader, NOW)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_one_typo_is_forgiven_and_words_of_the_language_are_left_alone(
    reader: Viewer,
) -> None:
    item("Accessibility statement", "How we test it.")
    item("Other page", "Nothing of the kind.")
    found = ask("accesibility statment", reader, mode="keyword")
    assert titles(found) == ["Accessibility statement"]
    assert ask("chip", reader, mode="keyword").total == 0
