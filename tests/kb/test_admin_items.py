"""Items in admin: saved once, through the domain, with history; no input is lost."""

from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from PIL import Image

from accounts.models import User
from kb.domain.lifecycle import archive, edit_item
from kb.enums import ContentType, ReviewStatus
from kb.models import ContentItem, ItemIndex
from tests.factories.library import NOW, domain, item

LIST = reverse("admin:kb_contentitem_changelist")
ADD = reverse("admin:kb_contentitem_add")


def change(pk: Any) -> str:
    return reverse("admin:kb_contentitem_change", args=[pk])


def filled(made: ContentItem, **values: Any) -> dict[str, Any]:
    """What the change form of `made` posts."""
    inlines = {
        f"{prefix}-{count}": "0"
        for prefix in ("revisions", "review_requests", "citations", "chunks")
        for count in ("TOTAL_FORMS", "INITIAL_FORMS")
    }
    return {
        "title": made.title,
        "content_type": made.content_type,
        "content": made.content,
        "summary": made.summary,
        "ai_keywords": "\n".join(made.ai_keywords),
        "author_name": made.author_name,
        "suggested_title": made.suggested_title,
        "primary_domain": made.primary_domain_id or "",
        "owner": made.owner_id or "",
        "read_at": made.updated_at.isoformat(),
        **inlines,
        **values,
    }


@pytest.fixture
def desk(client: Client, bob: User) -> Client:
    """An editor's browser."""
    client.force_login(bob)
    return client


def test_a_new_item_is_a_draft_with_index_and_one_version(
    desk: Client, bob: User
) -> None:
    answer = desk.post(
        ADD,
        {
            "title": "Key rotation",
            "content_type": "policy",
            "content": "Keys turn over each year.",
            "ai_keywords": " keys \n\nrotation, yearly\nkeys",
            "cadence": "period",
            "review_cadence_days": "30",
        },
    )

    assert answer.status_code == 302
    made = ContentItem.objects.get()
    assert made.governance_review_status == ReviewStatus.DRAFT
    assert made.ai_keywords == ["keys", "rotation, yearly"]
    assert made.next_review_date == made.content_changed_at.date() + timedelta(days=30)
    assert ItemIndex.objects.get().title == "key rotation"
    assert [(each.history_type, each.history_user) for each in made.history.all()] == [
        ("+", bob)
    ]


def test_an_edit_writes_once_and_indexes_anew(desk: Client, bob: User) -> None:
    made = item("Backup policy", author_name="Ann", owner=bob)

    answer = desk.post(change(made.pk), filled(made, title="Restore policy"))

    assert answer.status_code == 302
    made.refresh_from_db()
    assert made.title == "Restore policy"
    assert made.content_changed_at > NOW
    assert made.index.title == "restore policy"
    assert [each.history_user for each in made.history.all()] == [bob, None]


def test_saving_without_a_change_writes_nothing(desk: Client) -> None:
    made = item("Backup policy", ai_keywords=["a, b", "c"])
    desk.post(change(made.pk), filled(made))

    after = ContentItem.objects.get()
    assert after.updated_at == made.updated_at
    assert after.history.count() == 1


def test_a_posted_state_is_ignored_since_only_actions_change_it(desk: Client) -> None:
    made = item(governance_review_status=ReviewStatus.IN_REVIEW)
    made.refresh_from_db()
    forged = filled(made, governance_review_status="approved", quality_score="100")
    desk.post(change(made.pk), forged)

    after = ContentItem.objects.get()
    assert after.governance_review_status == ReviewStatus.IN_REVIEW
    assert after.quality_score == made.quality_score < 100


def test_a_conflict_keeps_what_was_typed_and_can_be_decided(
    desk: Client, alice: User, bob: User
) -> None:
    made = item("Backup policy", owner=bob)
    stale = filled(made, content="Mine.")
    later = made.updated_at + timedelta(hours=1)
    edit_item(alice.viewer(), made.pk, {"content": "Hers."}, later)

    refused = desk.post(change(made.pk), stale)

    assert refused.status_code == 200
    assert ContentItem.objects.get().content == "Hers."
    form = refused.context["adminform"].form
    hint = "Compare first. Save again to put yours over it."
    assert form.non_field_errors() == [
        f"Somebody else changed this item meanwhile. {hint}"
    ]
    assert form["content"].value() == "Mine."

    again = desk.post(change(made.pk), stale | {"read_at": form["read_at"].value()})
    assert again.status_code == 302
    assert ContentItem.objects.get().content == "Mine."


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("title", "x" * 600, "at most 500 characters"),
        ("title", "a\x00b", "Null characters are not allowed"),
        ("content", "a\x00b", "Null characters are not allowed"),
        ("ai_keywords", "k\x00", "Null characters are not allowed"),
        ("ai_keywords", "k" * 200, "at most 120 characters"),
        ("ai_keywords", "\n".join(map(str, range(60))), "no more than 50"),
        ("primary_domain", "99999999999999999999999", "valid choice"),
        ("primary_domain", "x\x00", "Null characters are not allowed"),
        ("owner", "nobody", "valid choice"),
        ("content_type", "poem", "valid choice"),
        ("read_at", "yesterday", "valid date/time"),
    ],
)
def test_a_bad_value_is_named_in_the_form(
    desk: Client, field: str, value: str, problem: str
) -> None:
    made = item()
    answer = desk.post(change(made.pk), filled(made, **{field: value}))

    assert answer.status_code == 200
    errors = answer.context["adminform"].form.errors
    assert list(errors) == [field]
    assert problem in errors[field][0]
    assert ContentItem.objects.get().history.count() == 1


def test_a_person_and_a_group_cannot_both_own_an_item(desk: Client, bob: User) -> None:
    from django.contrib.auth.models import Group

    made = item()
    group = Group.objects.create(name="Security")
    answer = desk.post(
        change(made.pk), filled(made, owner=bob.pk, owner_group=group.pk)
    )
    assert answer.context["adminform"].form.errors == {
        "owner_group": ["Choose a person or a group, not both."],
    }


def test_a_picture_is_stored_with_the_item(
    desk: Client, bob: User, settings: Any, tmp_path: Any
) -> None:
    settings.MEDIA_ROOT = tmp_path
    made = item(owner=bob)
    buffer = BytesIO()
    Image.new("RGB", (2, 2)).save(buffer, "PNG")
    png = SimpleUploadedFile("logo.png", buffer.getvalue(), "image/png")

    assert desk.post(change(made.pk), filled(made, picture=png)).status_code == 302
    stored = ContentItem.objects.get().picture
    assert stored.read() == buffer.getvalue()
    stored.close()

    disguised = SimpleUploadedFile("logo.png", b"<script>", "image/png")
    refused = desk.post(
        change(made.pk), filled(ContentItem.objects.get(), picture=disguised)
    )
    assert list(refused.context["adminform"].form.errors) == ["picture"]


def test_history_shows_who_changed_what_and_brings_old_text_back(
    desk: Client, alice: User, bob: User
) -> None:
    where = domain(owner=bob)
    made = item("Backup policy", "Old text.", owner=alice, primary_domain=where)
    desk.post(change(made.pk), filled(made, content="New text."))
    first = made.history.earliest("history_date")

    page = desk.get(reverse("admin:kb_contentitem_history", args=[made.pk]))
    assert "Old text." in page.text
    assert "New text." in page.text
    assert "Bob" in page.text

    version = reverse("admin:kb_contentitem_simple_history", args=[made.pk, first.pk])
    assert desk.get(version).status_code == 200
    stored = ContentItem.objects.get()
    back = filled(stored, content="Old text.")
    assert desk.post(version, back).status_code == 302
    after = ContentItem.objects.get()
    assert after.content == "Old text."
    assert after.owner == alice
    assert after.history.count() == 3


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("q=etudiant", ["Étudiant"]),
        ("q=ISO-27001", ["Certificates"]),
        ("q=marie+certificates", ["Certificates"]),
        ("q=nothing", []),
        ("content_type__exact=policy", ["Étudiant"]),
        ("archived=yes", ["Gone"]),
        ("archived=all", ["Certificates", "Gone", "Étudiant"]),
        ("due=overdue", ["Étudiant"]),
        ("due=none", ["Certificates"]),
        ("quality=low", ["Étudiant"]),
        ("quality=fair", ["Certificates"]),
        ("quality=high", []),
        ("embedding=missing", ["Certificates"]),
        ("embedding=waiting", ["Certificates"]),
        ("embedding=current", ["Étudiant"]),
        ("owned=none", ["Certificates", "Étudiant"]),
        ("layer=core", ["Certificates"]),
    ],
)
def test_the_list_is_filtered_and_searched(
    desk: Client, alice: User, query: str, found: list[str]
) -> None:
    from datetime import date

    item(
        "Étudiant",
        content_type=ContentType.POLICY,
        next_review_date=date(2020, 1, 1),
    )
    item(
        "Certificates",
        ai_keywords=["ISO-27001"],
        author_name="Marie",
        embedded=False,
        layer="core",
    )
    gone = item("Gone", embedded=False)
    archive(alice.viewer(), [gone.pk], NOW)

    page = desk.get(f"{LIST}?{query}")
    titles = sorted(each.title for each in page.context["cl"].result_list)
    assert titles == found


def test_due_filters_reach_ninety_days(desk: Client) -> None:
    from django.utils import timezone

    today = timezone.now().date()
    for days in (0, 30, 31, 60, 90, 91):
        item(f"in {days}", next_review_date=today + timedelta(days=days))

    def titles(due: str) -> list[str]:
        page = desk.get(f"{LIST}?due={due}&o=1")
        return sorted(each.title for each in page.context["cl"].result_list)

    assert titles("30") == ["in 0", "in 30"]
    assert titles("60") == ["in 0", "in 30", "in 31", "in 60"]
    assert titles("90") == ["in 0", "in 30", "in 31", "in 60", "in 90"]
    assert titles("overdue") == []


def test_the_item_page_shows_sections_citations_and_the_waiting_edit(
    desk: Client, bob: User
) -> None:
    from kb.domain.citations import cite
    from kb.models import Revision, Workspace

    made = item("Backups", content="# Restore\n\nEvery quarter.")
    bid = Workspace.objects.create(name="Harbour", client="Port of Lyme")
    cite(bob.viewer(), made.pk, workspace=bid)
    Revision.objects.create(item=made, changes={"title": "Back-ups"}, author=bob)

    page = desk.get(change(made.pk))

    assert page.status_code == 200
    texts = ("Every quarter.", "Bid Port of Lyme: Harbour", "Waiting for approval")
    for text in texts:
        assert text in page.text
    assert "embedding" not in [
        name
        for form in page.context["inline_admin_formsets"]
        for name in form.opts.fields
    ]


def test_domains_are_offered_as_one_types(desk: Client) -> None:
    domain("Information security")
    domain("People")
    answer = desk.get(
        reverse("admin:autocomplete"),
        {
            "term": "peo",
            "app_label": "kb",
            "model_name": "contentitem",
            "field_name": "primary_domain",
        },
    )
    assert [each["text"] for each in answer.json()["results"]] == ["People"]


def test_a_near_duplicate_is_named_after_saving(desk: Client, bob: User) -> None:
    text = "We back up every system each night to two sites and restore each quarter."
    item("Backups", text)
    values = {"content_type": "article", "cadence": "inherit"}
    copy = {"title": "Copies", "content": text}
    page = desk.post(ADD, values | copy, follow=True)
    assert "Near-duplicate: " in page.text
    assert ">Backups</a>" in page.text
    assert ContentItem.objects.count() == 2
