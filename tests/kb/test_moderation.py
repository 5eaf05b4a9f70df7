"""Edits of approved items: proposed, continued, approved, rejected; nothing is lost."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.core.files.base import ContentFile

from accounts.enums import Role
from accounts.models import User
from accounts.viewer import Viewer
from core.errors import BadInput, Conflict, NotAllowed, NotFound
from kb.domain import proposals
from kb.domain.domain_settings import edit_domain
from kb.domain.lifecycle import archive, edit_item
from kb.domain.moderation import (
    approve_revision,
    edits_of,
    may_approve,
    outcome,
    propose_edit,
    reject_revision,
    waiting_for,
    waiting_revision,
    withdraw_revision,
)
from kb.enums import Moderation, ReviewStatus, RevisionStatus
from kb.models import ContentItem, Domain, Revision
from tests.factories.library import NOW, domain, item

pytestmark = pytest.mark.django_db

LATER = NOW + timedelta(hours=1)


@pytest.fixture
def dora(db: None) -> Viewer:
    """Another editor."""
    return User.objects.create_user(
        "dora", role=Role.EDITOR, first_name="Dora"
    ).viewer()


def approved(where: Domain | None = None, **values: Any) -> ContentItem:
    values.setdefault("title", "Backup policy")
    return item(embedded=False, primary_domain=where, **values)


def wait(viewer: Viewer, made: ContentItem, **changes: Any) -> Revision:
    """Propose `changes`, which must then wait."""
    revision = propose_edit(viewer, made.pk, changes, LATER).revision
    assert revision is not None
    return revision


def reasons(made: ContentItem) -> list[str]:
    rows = made.history.order_by("history_id")
    return list(rows.values_list("history_change_reason", flat=True))


# --- Who waits, and who does not ----------------------------------------------------


def test_an_editors_edit_of_an_approved_item_waits(editor: Viewer) -> None:
    made = approved(content="Old.")
    edit = propose_edit(editor, made.pk, {"content": "New."}, LATER, note="Shorter")

    made.refresh_from_db()
    assert (made.content, made.hidden_for_approval) == ("Old.", False)
    assert edit.message == "Your edit waits for approval by an admin."
    revision = waiting_revision(made)
    assert revision is not None
    assert (revision.changes, revision.base, revision.note) == (
        {"content": "New."},
        {"content": "Old."},
        "Shorter",
    )
    assert (revision.author_id, revision.created_at) == (editor.user_id, LATER)


@pytest.mark.parametrize("state", [ReviewStatus.DRAFT, ReviewStatus.IN_REVIEW])
def test_what_nobody_approved_is_edited_at_once(
    editor: Viewer, state: ReviewStatus
) -> None:
    made = approved(governance_review_status=state)
    edit = propose_edit(editor, made.pk, {"content": "New."}, LATER)
    assert (edit.item.content, edit.revision, edit.message) == ("New.", None, "Saved.")


def test_an_overdue_item_was_approved_and_its_edits_wait(editor: Viewer) -> None:
    made = approved(governance_review_status=ReviewStatus.REVIEW_OVERDUE)
    assert wait(editor, made, content="New.").status == RevisionStatus.WAITING


def test_admins_and_owners_edit_at_once(governor: Viewer, bob: User) -> None:
    team = Group.objects.create(name="Security team")
    bob.groups.add(team)
    owned: list[dict[str, Any]] = [
        {"owner": bob},
        {"owner_group": team},
        {"primary_domain": domain("Of a person", owner=bob)},
        {"primary_domain": domain("Of a group", owner_group=team)},
    ]
    for values in owned:
        made = item(embedded=False, **values)
        assert (
            propose_edit(bob.viewer(), made.pk, {"content": "B"}, NOW).revision is None
        )
    made = approved()
    assert propose_edit(governor, made.pk, {"content": "B"}, NOW).revision is None
    assert not may_approve(bob.viewer(), made)


def test_an_owner_who_may_not_edit_may_not_approve(charlie: User) -> None:
    assert not may_approve(charlie.viewer(), approved(owner=charlie))


def test_viewers_propose_nothing(reader: Viewer) -> None:
    with pytest.raises(NotAllowed):
        propose_edit(reader, approved().pk, {"content": "B"}, NOW)


def test_ownership_itself_is_an_edit_that_waits(editor: Viewer, bob: User) -> None:
    """Else an editor would become the owner first, and approve then."""
    made = approved()
    assert wait(editor, made, owner=bob).changes == {"owner": bob.pk}
    assert not may_approve(editor, made)


@pytest.mark.parametrize("field", ["governance_review_status", "source_hash", "id"])
def test_only_what_people_write_can_be_proposed(editor: Viewer, field: str) -> None:
    with pytest.raises(BadInput):
        propose_edit(editor, approved().pk, {field: "x"}, NOW)


def test_what_could_not_be_saved_does_not_wait(editor: Viewer) -> None:
    made = approved()
    for wrong in ({"title": ""}, {"title": "x" * 501}, {"content_type": "song"}):
        with pytest.raises(BadInput):
            propose_edit(editor, made.pk, wrong, NOW)
    assert not Revision.objects.exists()


def test_characters_that_the_database_cannot_hold_are_left_out(editor: Viewer) -> None:
    made = approved()
    changes = {"content": "a\x00b\ud800c", "ai_keywords": ["x\x00"]}
    revision = wait(editor, made, **changes)
    assert revision.changes == {"content": "abc", "ai_keywords": ["x"]}


def test_an_edit_that_changes_nothing_does_not_wait(editor: Viewer) -> None:
    made = approved(content="Same.")
    edit = propose_edit(editor, made.pk, {"content": "Same."}, LATER)
    assert edit.revision is None
    assert not Revision.objects.exists()


def test_an_edit_of_a_version_no_longer_stored_is_refused(
    editor: Viewer, governor: Viewer
) -> None:
    made = approved()
    seen = made.updated_at
    edit_item(governor, made.pk, {"content": "Newer."}, seen + timedelta(minutes=1))
    with pytest.raises(Conflict):
        propose_edit(editor, made.pk, {"content": "Mine."}, LATER, read_at=seen)


# --- Kept usable, or hidden ---------------------------------------------------------


def findable(viewer: Viewer) -> list[bool]:
    items = ContentItem.objects.visible_to(viewer)
    return [items.exists(), items.findable().exists()]


def test_the_old_answer_stays_usable_or_is_hidden_as_the_domain_says(
    editor: Viewer, reader: Viewer, governor: Viewer
) -> None:
    made = approved(domain(moderation=Moderation.HIDE))
    revision = wait(editor, made, content="New.")
    assert (findable(reader), findable(editor)) == ([False, False], [True, False])

    approve_revision(governor, revision.pk, LATER)
    assert (findable(reader), findable(editor)) == ([True, True], [True, True])
    made.refresh_from_db()
    assert made.content == "New."


@pytest.mark.parametrize("decide", ["reject", "withdraw"])
def test_what_is_not_approved_shows_the_old_answer_again(
    editor: Viewer, reader: Viewer, governor: Viewer, decide: str
) -> None:
    made = approved(domain(moderation=Moderation.HIDE), content="Old.")
    revision = wait(editor, made, content="New.")
    if decide == "reject":
        reject_revision(governor, revision.pk, LATER, "Too long")
    else:
        withdraw_revision(editor, revision.pk, LATER)
    assert findable(reader) == [True, True]
    made.refresh_from_db()
    assert made.content == "Old."


def test_items_follow_a_domain_that_changes_its_mode(
    editor: Viewer, reader: Viewer, governor: Viewer
) -> None:
    where = domain()
    made, untouched = approved(where), approved(where)
    wait(editor, made, content="New.")
    edit_domain(governor, where.pk, {"moderation": Moderation.HIDE}, LATER)
    assert set(ContentItem.objects.visible_to(reader)) == {untouched}
    edit_domain(governor, where.pk, {"moderation": Moderation.KEEP}, LATER)
    assert set(ContentItem.objects.visible_to(reader)) == {made, untouched}


def test_items_follow_the_mode_of_the_domain_they_move_to(
    editor: Viewer, reader: Viewer, governor: Viewer
) -> None:
    made = approved()
    wait(editor, made, content="New.")
    strict = domain("Strict", moderation=Moderation.HIDE)
    edit_item(governor, made.pk, {"primary_domain": strict}, LATER)
    assert findable(reader) == [False, False]


# --- A second edit ------------------------------------------------------------------


def test_a_second_edit_builds_on_the_first_and_keeps_it(
    editor: Viewer, dora: Viewer
) -> None:
    made = approved(content="Old.")
    first = wait(editor, made, content="One.")
    edit = propose_edit(
        dora,
        made.pk,
        {"content": "One, two.", "layer": "core"},
        LATER,
        builds_on=first.pk,
    )
    assert edit.revision is not None
    assert edit.revision.changes == {"content": "One, two.", "layer": "core"}
    first.refresh_from_db()
    assert (first.changes, first.status) == (
        {"content": "One."},
        RevisionStatus.CONTINUED,
    )
    assert outcome(first) == edit.revision == waiting_revision(made)


def test_an_edit_of_other_fields_joins_one_unseen(editor: Viewer, dora: Viewer) -> None:
    made = approved()
    wait(editor, made, content="One.")
    assert wait(dora, made, layer="core").changes == {
        "content": "One.",
        "layer": "core",
    }


def test_an_edit_of_the_same_field_does_not_overwrite_one_unseen(
    editor: Viewer, dora: Viewer
) -> None:
    made = approved()
    first = wait(editor, made, content="One.")
    with pytest.raises(Conflict, match="An edit of content by Bob waits"):
        propose_edit(dora, made.pk, {"content": "Two."}, LATER)
    assert waiting_revision(made) == first


def test_the_same_edit_twice_is_one(editor: Viewer) -> None:
    made = approved()
    assert wait(editor, made, content="One.") == wait(editor, made, content="One.")


def test_building_on_an_edit_decided_meanwhile_is_refused(
    editor: Viewer, dora: Viewer, governor: Viewer
) -> None:
    made = approved()
    first = wait(editor, made, content="One.")
    reject_revision(governor, first.pk, LATER, "No")
    with pytest.raises(Conflict, match="decided or continued meanwhile"):
        propose_edit(dora, made.pk, {"content": "Two."}, LATER, builds_on=first.pk)


def test_taking_all_of_it_back_withdraws_the_edit(editor: Viewer, dora: Viewer) -> None:
    made = approved(content="Old.")
    first = wait(editor, made, content="One.")
    with pytest.raises(NotAllowed):
        propose_edit(dora, made.pk, {"content": "Old."}, LATER, builds_on=first.pk)
    propose_edit(editor, made.pk, {"content": "Old."}, LATER, builds_on=first.pk)
    first.refresh_from_db()
    assert first.status == RevisionStatus.WITHDRAWN
    assert waiting_revision(made) is None


def test_an_approver_who_builds_on_an_edit_approves_it(
    editor: Viewer, governor: Viewer
) -> None:
    made = approved()
    first = wait(editor, made, content="One.")
    edit = propose_edit(
        governor, made.pk, {"content": "One!"}, LATER, builds_on=first.pk
    )
    assert (edit.item.content, edit.revision) == ("One!", None)
    assert outcome(first).status == RevisionStatus.APPROVED
    assert waiting_revision(made) is None


# --- Decisions ----------------------------------------------------------------------


def test_approving_applies_all_kinds_of_fields(
    editor: Viewer, governor: Viewer, bob: User
) -> None:
    made = approved()
    where = domain("People")
    changes = {
        "title": "Backups",
        "ai_keywords": ["rpo", "rto"],
        "primary_domain": where,
        "owner": bob,
        "picture": ContentFile(b"png", name="plan.png"),
    }
    revision = wait(editor, made, **changes)
    changed = approve_revision(governor, revision.pk, LATER, "Good")

    assert (changed.title, changed.ai_keywords) == ("Backups", ["rpo", "rto"])
    assert (changed.primary_domain, changed.owner) == (where, bob)
    assert changed.picture.read() == b"png"
    changed.picture.delete(save=False)
    assert changed.content_changed_at == LATER
    assert changed.index.title == "backups"
    revision.refresh_from_db()
    assert (revision.status, revision.decided_by_id, revision.decision_note) == (
        RevisionStatus.APPROVED,
        governor.user_id,
        "Good",
    )


def test_the_owner_decides_and_another_editor_does_not(
    editor: Viewer, dora: Viewer
) -> None:
    made = approved(domain(owner_id=dora.user_id))
    revision = wait(editor, made, content="New.")
    with pytest.raises(NotAllowed):
        approve_revision(editor, revision.pk, LATER)
    with pytest.raises(NotAllowed):
        reject_revision(editor, revision.pk, LATER, "No")
    assert approve_revision(dora, revision.pk, LATER).content == "New."


def test_a_field_changed_meanwhile_is_a_conflict_until_looked_at(
    editor: Viewer, governor: Viewer
) -> None:
    made = approved(content="Old.", layer="core")
    revision = wait(editor, made, content="New.", subtopic="Restore")
    edit_item(governor, made.pk, {"layer": "edge"}, LATER)
    edit_item(governor, made.pk, {"content": "Newer."}, LATER)

    with pytest.raises(Conflict, match="Content changed after this edit"):
        approve_revision(governor, revision.pk, LATER)
    made.refresh_from_db()
    assert (made.content, waiting_revision(made)) == ("Newer.", revision)

    changed = approve_revision(governor, revision.pk, LATER, over_later_changes=True)
    assert (changed.content, changed.subtopic, changed.layer) == (
        "New.",
        "Restore",
        "edge",
    )


def test_a_field_changed_to_what_is_proposed_is_no_conflict(
    editor: Viewer, governor: Viewer
) -> None:
    made = approved(content="Old.")
    revision = wait(editor, made, content="New.")
    edit_item(governor, made.pk, {"content": "New."}, LATER)
    assert approve_revision(governor, revision.pk, LATER).content == "New."


def test_rejecting_needs_a_reason_and_loses_nothing(
    editor: Viewer, governor: Viewer
) -> None:
    made = approved()
    revision = wait(editor, made, content="New.")
    with pytest.raises(BadInput, match="Say why"):
        reject_revision(governor, revision.pk, LATER, "  ")
    reject_revision(governor, revision.pk, LATER, "Cite the contract.")

    mine = edits_of(editor).get()
    assert (mine.status, mine.decision_note, mine.changes) == (
        RevisionStatus.REJECTED,
        "Cite the contract.",
        {"content": "New."},
    )


def test_a_decision_is_made_once(editor: Viewer, governor: Viewer) -> None:
    revision = wait(editor, approved(), content="New.")
    approve_revision(governor, revision.pk, LATER)
    for decide in (
        lambda: approve_revision(governor, revision.pk, LATER),
        lambda: reject_revision(governor, revision.pk, LATER, "No"),
        lambda: withdraw_revision(editor, revision.pk, LATER),
    ):
        with pytest.raises(Conflict, match="approved already"):
            decide()
    with pytest.raises(NotFound):
        approve_revision(governor, 0, LATER)


def test_only_its_author_or_an_approver_withdraws_an_edit(
    editor: Viewer, dora: Viewer, governor: Viewer
) -> None:
    made = approved()
    revision = wait(editor, made, content="New.")
    with pytest.raises(NotAllowed):
        withdraw_revision(dora, revision.pk, LATER)
    withdraw_revision(editor, revision.pk, LATER)
    withdraw_revision(governor, wait(editor, made, content="New.").pk, LATER)


def test_an_edit_whose_choice_is_gone_says_so(editor: Viewer, governor: Viewer) -> None:
    where = domain("Short-lived")
    revision = wait(editor, approved(), primary_domain=where)
    where.delete()
    with pytest.raises(
        Conflict, match="primary domain of this edit is no longer there"
    ):
        approve_revision(governor, revision.pk, LATER)


# --- What people see ----------------------------------------------------------------


def test_approvers_see_what_waits_for_them(
    editor: Viewer, dora: Viewer, governor: Viewer, reader: Viewer
) -> None:
    mine = wait(editor, approved(domain("Hers", owner_id=dora.user_id)), content="1")
    other = wait(editor, approved(), content="2")
    gone = approved()
    wait(editor, gone, content="3")
    archive(governor, [gone.pk], LATER)
    assert list(waiting_for(governor)) == [mine, other]
    assert list(waiting_for(dora)) == [mine]
    assert list(waiting_for(editor)) == list(waiting_for(reader)) == []
    assert not edits_of(Viewer.system()).exists()


def test_the_history_of_the_item_tells_of_every_step(
    editor: Viewer, governor: Viewer
) -> None:
    made = approved()
    reject_revision(governor, wait(editor, made, content="1").pk, LATER, "No")
    withdraw_revision(editor, wait(editor, made, content="2").pk, LATER)
    approve_revision(governor, wait(editor, made, title="C").pk, LATER)
    assert reasons(made) == [
        "",
        "Edit proposed: content",
        "Edit by Bob rejected: No",
        "Edit proposed: content",
        "Edit by Bob withdrawn",
        "Edit proposed: title",
        "Edit by Bob approved",
    ]


def test_a_form_can_go_on_from_the_waiting_text(editor: Viewer) -> None:
    made = approved(content="Old.")
    revision = wait(editor, made, content="New.")
    shown = proposals.overlaid(made, revision.changes)
    assert (shown.content, made.content) == ("New.", "Old.")
