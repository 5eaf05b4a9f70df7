"""Presets: filters with a name, built in and people's own."""

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from accounts.models import User
from accounts.viewer import Viewer
from browse import presets
from browse.models import FilterPreset
from core.errors import BadInput, NotFound
from kb.filters import ItemFilters
from kb.models import ContentItem, Workspace
from tests.browse.pages import HTMX, links, text, titles
from tests.factories.library import NOW, domain, item

pytestmark = pytest.mark.django_db
PEOPLE = ItemFilters(domain=("People",))


def bar(response: Any) -> str:
    body: str = response.content.decode()
    return body[body.index('id="presets"') :].split("</nav>", 1)[0]


def on(response: Any) -> list[str]:
    """Names of the presets that are on."""
    found = re.findall(r'aria-current="true">(.*?)</a>', bar(response), re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", " ", each).split()) for each in found]


def saved(viewer: Viewer, name: str = "Mine", **values: Any) -> presets.Preset:
    return presets.save(viewer, name, values.pop("filters", PEOPLE), NOW, **values)


def test_five_presets_are_built_in_and_show_what_they_say(as_editor: Client) -> None:
    page = as_editor.get("/browse")
    assert [each.name for each in presets.SYSTEM] == [
        "Bid-ready",
        "Questions and answers",
        "Case studies that won",
        "Due for review",
        "New this month",
    ]
    for each in presets.SYSTEM:
        (url,) = links(page, each.name)
        shown = as_editor.get(url)
        assert (shown.status_code, on(shown)) == (200, [each.name])


def test_applying_replaces_filters_and_keeps_words_order_and_bid(
    as_reader: Client,
) -> None:
    item(primary_domain=domain("People"))
    bid = Workspace.objects.create(name="Managed IT")
    page = as_reader.get(f"/browse?domain=People&sort=title&from_bid={bid.pk}&q=backup")
    (url,) = links(page, "Questions and answers")
    assert parse_qs(urlsplit(url).query) == {
        "q": ["backup"],
        "sort": ["title"],
        "from_bid": [str(bid.pk)],
        "content_type": ["qa_pair"],
        "preset": ["system-qa"],
    }


def test_choosing_the_one_that_is_on_clears_the_filters(as_reader: Client) -> None:
    page = as_reader.get("/browse?content_type=qa_pair&q=backup")
    assert on(page) == ["Questions and answers"]
    assert links(page, "Questions and answers") == ["/browse?q=backup"]


def test_saving_keeps_the_filters_sorted_and_nothing_else(
    as_reader: Client, reader: Viewer
) -> None:
    item(primary_domain=domain("People"), subtopic="Leave")
    query = "subtopic=Leave&q=backup&sort=title&domain=People"
    page = as_reader.get(f"/browse?{query}")
    (form,) = links(page, "Save these filters")
    answer = as_reader.post(form, {"name": " Leave  of people "})
    kept = FilterPreset.objects.get()
    assert re.fullmatch("u_[0-9a-f]{8}", kept.pk)
    assert (kept.name, kept.params, kept.sort) == (
        "Leave of people",
        "domain=People&subtopic=Leave",
        "",
    )
    shown = as_reader.get(answer["Location"])
    assert on(shown) == ["Leave of people"]
    assert "Save these filters" not in bar(shown)
    assert "Preset “Leave of people” saved." in text(shown)


def test_the_order_is_kept_on_request_and_applied(
    as_reader: Client, reader: Viewer
) -> None:
    for title in ("Alpha", "Beta"):
        item(title, primary_domain=domain("People"))
    form = "/presets/new?domain=People&sort=title&order=desc"
    as_reader.post(form, {"name": "Mine", "sort": "on"})
    assert FilterPreset.objects.get().sort == "title-desc"
    (url,) = links(as_reader.get("/browse?sort=newest"), "Mine")
    assert titles(as_reader.get(url)) == ["Beta", "Alpha"]


def test_filters_changed_since_show_it_and_can_be_kept(
    as_reader: Client, reader: Viewer
) -> None:
    for name in ("People", "Hosting"):
        item(primary_domain=domain(name))
    made = saved(reader)
    changed = f"/browse?domain=Hosting&preset={made.id}"
    page = as_reader.get(changed)
    assert "Mine changed" in text(page)
    assert on(page) == []
    as_reader.post(f"/presets/{made.id}/update?domain=Hosting")
    assert FilterPreset.objects.get().params == "domain=Hosting"
    assert on(as_reader.get(changed)) == ["Mine"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "Give it a name."),
        ("x" * 41, "At most 40 characters."),
        ("bid-ready", "A built-in preset has this name."),
        ("MINE", "You already have a preset with this name. Choose another."),
    ],
)
def test_a_name_that_cannot_be_is_refused_and_kept_in_the_form(
    name: str, said: str, as_reader: Client, reader: Viewer
) -> None:
    item(primary_domain=domain("People"))
    saved(reader)
    answer = as_reader.post("/presets/new?domain=People", {"name": name})
    assert answer.status_code == 422
    assert said in text(answer)
    assert f'value="{name}"' in answer.content.decode()
    assert FilterPreset.objects.count() == 1


def test_no_filter_is_nothing_to_save(reader: Viewer) -> None:
    with pytest.raises(BadInput, match="Choose a filter first"):
        saved(reader, filters=ItemFilters())


def test_a_shared_one_is_seen_by_all_and_changed_by_its_owner_alone(
    as_editor: Client, editor: Viewer, reader: Viewer
) -> None:
    private, shared = saved(reader, "Private"), saved(reader, "Open", shared=True)
    page = as_editor.get("/browse")
    assert "Open (shared by Charlie)" in text(page)
    assert "Private" not in text(page)
    assert as_editor.get(f"/presets/{private.id}").status_code == 404
    assert as_editor.post(f"/presets/{shared.id}/delete").status_code == 404
    with pytest.raises(NotFound):
        presets.rename(editor, shared.id, "Stolen")
    with pytest.raises(NotFound):
        presets.share(editor, shared.id, shared=False)
    with pytest.raises(NotFound):
        presets.replace(editor, shared.id, PEOPLE)
    with pytest.raises(NotFound):
        presets.rename(editor, "system-qa", "Mine")
    assert FilterPreset.objects.get(pk=shared.id).name == "Open"


def test_own_come_oldest_first_and_before_those_of_others(
    editor: Viewer, reader: Viewer
) -> None:
    saved(editor, "Of Bob", shared=True)
    for name in ("Second", "First"):
        saved(reader, name)
    FilterPreset.objects.filter(name="First").update(created_at=NOW.replace(year=2020))
    assert [each.name for each in presets.presets(reader)[5:]] == [
        "First",
        "Second",
        "Of Bob",
    ]


def test_rename_delete_and_undo(as_reader: Client, reader: Viewer) -> None:
    made = saved(reader)
    as_reader.post(f"/presets/{made.id}/rename", {"name": "Ours"})
    page = as_reader.get("/presets")
    assert "Ours Domain: People" in text(page)
    gone = as_reader.post(f"/presets/{made.id}/delete", follow=True)
    assert "Preset “Ours” deleted. Undo" in text(gone)
    assert "Ours" not in text(as_reader.get("/browse"))
    as_reader.post(f"/presets/{made.id}/restore")
    assert "Ours" in text(as_reader.get("/browse"))


def test_a_deleted_one_whose_name_is_taken_again_does_not_come_back(
    reader: Viewer,
) -> None:
    made = saved(reader)
    presets.delete(reader, made.id, NOW)
    saved(reader)
    with pytest.raises(BadInput, match="already have a preset"):
        presets.restore(reader, made.id)


def test_in_the_dialog_the_list_and_the_bar_follow(
    as_reader: Client, reader: Viewer
) -> None:
    made = saved(reader)
    here = {"HX-Current-URL": "http://testserver/browse?content_type=qa_pair"}
    answer = as_reader.post(f"/presets/{made.id}/delete", headers=HTMX | here)
    body = answer.content.decode()
    assert "<html" not in body
    assert "Manage presets" in body
    assert on(answer) == ["Questions and answers"]
    assert f'action="/presets/{made.id}/restore"' in body


def test_the_weekly_mail_is_asked_for_and_given_up(
    as_reader: Client, reader: Viewer
) -> None:
    as_reader.post("/presets/system-won/follow", {"on": "true"})
    assert presets.followed(reader) == {"system-won"}
    as_reader.post("/presets/system-won/follow", {"on": "false"})
    assert presets.followed(reader) == frozenset()


def test_what_is_gone_from_the_library_is_named_with_a_way_on(
    as_reader: Client, reader: Viewer
) -> None:
    made = saved(reader, filters=ItemFilters(domain=("Gone",), quality_min=70))
    page = as_reader.get(f"/presets/{made.id}", follow=True)
    assert page.status_code == 400
    assert "The preset “Mine” names something that is gone" in text(page)
    assert links(page, "Clear domain") == [f"/browse?quality_min=70&preset={made.id}"]


def test_a_stored_value_that_is_no_filter_any_more_breaks_no_page(
    as_reader: Client, reader: Viewer
) -> None:
    made = saved(reader)
    FilterPreset.objects.update(params="content_type=fax&retired=1")
    for path in ("/browse", "/presets"):
        assert as_reader.get(path).status_code == 200
    page = as_reader.get(f"/presets/{made.id}", follow=True)
    assert page.status_code == 400
    assert "names something that is gone" in text(page)


def test_manage_counts_what_its_viewer_sees(as_reader: Client, reader: Viewer) -> None:
    item(primary_domain=domain("People"))
    item("Draft", primary_domain=domain("People"), governance_review_status="draft")
    saved(reader)
    assert "Domain: People · 1 item" in text(as_reader.get("/presets"))


@pytest.mark.parametrize("count", [1, 3])
def test_manage_takes_the_same_queries_however_many(
    count: int, as_reader: Client, reader: Viewer, django_assert_num_queries: Any
) -> None:
    for number in range(count):
        saved(reader, f"Mine {number}")
    with django_assert_num_queries(5):  # session, user; presets, counts, follows
        as_reader.get("/presets")


def test_presets_of_another_user_are_not_in_reach(
    alice: User, as_reader: Client
) -> None:
    made = saved(alice.viewer())
    assert as_reader.post(f"/presets/{made.id}/restore").status_code == 404
    assert ContentItem.objects.count() == 0
