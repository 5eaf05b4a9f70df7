"""What editors do to an item on its page: each asks once, in a dialog."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from accounts.viewer import Viewer
from core.errors import BadInput
from core.text import clean
from kb.domain import lifecycle, moderation, review
from kb.models import ContentItem

Post = Mapping[str, str]


@dataclass(frozen=True)
class Action:
    """`hint` is what it does, before it is done; `note` labels the field beside it,
    empty for none; `run` does it and returns what to say."""

    name: str
    title: str
    submit: str
    hint: str
    note: str
    run: Callable[[Viewer, UUID, Post, datetime], str]
    danger: bool = False


def _note(post: Post) -> str:
    return clean(post.get("note", "")).strip()[:2000]


def _reviewed(viewer: Viewer, item_id: UUID, post: Post, now: datetime) -> str:
    review.mark_reviewed(viewer, [item_id], now, _note(post))
    due = ContentItem.objects.get(pk=item_id).next_review_date
    return f"Reviewed. Next on {due.day} {due:%B %Y}." if due else "Reviewed."


def _verified(viewer: Viewer, item_id: UUID, post: Post, now: datetime) -> str:
    review.verify(viewer, [item_id], now, _note(post))
    return "Verified in your name."


def _archived(viewer: Viewer, item_id: UUID, post: Post, now: datetime) -> str:
    lifecycle.archive(viewer, [item_id], now, _note(post))
    return "Archived."


def _restored(viewer: Viewer, item_id: UUID, post: Post, now: datetime) -> str:
    lifecycle.restore(viewer, [item_id], now, _note(post))
    return "Restored."


def _replaced(viewer: Viewer, item_id: UUID, post: Post, now: datetime) -> str:
    chosen = (
        post.get("by", "") or post.get("address", "").rstrip("/").rpartition("/")[2]
    )
    try:
        by = UUID(chosen.partition("?")[0])
    except ValueError:
        raise BadInput("Choose the item that replaces it.", field="by") from None
    lifecycle.supersede(viewer, item_id, by, now, _note(post))
    return "Replaced. Search leads to the other item from now on."


ACTIONS = {
    action.name: action
    for action in (
        Action(
            "review",
            "Mark reviewed",
            "Mark reviewed",
            "You read it and found it right. The next date follows from its cadence.",
            "Note",
            _reviewed,
        ),
        Action(
            "verify",
            "Verify",
            "Verify",
            "You vouch for what it says. Your name stands beside it in every list.",
            "Note",
            _verified,
        ),
        Action(
            "archive",
            "Archive",
            "Archive",
            "It leaves search and lists. Nothing is deleted, and it can be restored.",
            "Why",
            _archived,
            danger=True,
        ),
        Action(
            "restore",
            "Restore",
            "Restore",
            "It comes back to search and lists as it was.",
            "",
            _restored,
        ),
        Action(
            "replace",
            "Replace with another item",
            "Replace",
            "Search and links lead to the other item. Bids that cite this one keep it.",
            "Why",
            _replaced,
        ),
    )
}


def approve(viewer: Viewer, revision_id: int, post: Post, now: datetime) -> str:
    over = bool(post.get("over"))
    moderation.approve_revision(
        viewer, revision_id, now, _note(post), over_later_changes=over
    )
    return "Edit approved. It is in use now."


def reject(viewer: Viewer, revision_id: int, post: Post, now: datetime) -> str:
    moderation.reject_revision(viewer, revision_id, now, _note(post))
    return "Edit rejected. Its author is told why."


def withdraw(viewer: Viewer, revision_id: int, post: Post, now: datetime) -> str:
    moderation.withdraw_revision(viewer, revision_id, now)
    return "Edit withdrawn."


DECISIONS = {
    "approve": Action(
        "approve",
        "Approve edit",
        "Approve",
        "The text below takes the place of the one in use.",
        "Note to the author",
        lambda *_: "",
    ),
    "reject": Action(
        "reject",
        "Reject edit",
        "Reject",
        "The item stays as it is. Say why, so that the author can act on it.",
        "Why",
        lambda *_: "",
        danger=True,
    ),
    "withdraw": Action(
        "withdraw",
        "Withdraw edit",
        "Withdraw",
        "The item stays as it is. The edit is kept in its history.",
        "",
        lambda *_: "",
        danger=True,
    ),
}
DECIDE = {"approve": approve, "reject": reject, "withdraw": withdraw}
