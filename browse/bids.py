"""The bid one answers for: `from_bid` in an address, and the bar that names it."""

from dataclasses import dataclass

from django.db.models import Count, Q
from django.urls import reverse

from core.errors import BadInput
from kb.models import FormQuestion, Workspace


@dataclass(frozen=True)
class BidBar:
    bid: Workspace
    questions: int
    answered: int
    leave_url: str


def bid_of(from_bid: int | None) -> Workspace | None:
    if from_bid is None:
        return None
    bid = Workspace.objects.filter(pk=from_bid).first()
    if bid is None:
        raise BadInput("This bid does not exist.", field="from_bid")
    return bid


def bid_bar(bid: Workspace | None, leave_url: str) -> BidBar | None:
    if bid is None:
        return None
    counts = FormQuestion.objects.filter(workspace=bid).aggregate(
        questions=Count("pk"),
        answered=Count("response", filter=~Q(response__text="")),
    )
    return BidBar(bid, **counts, leave_url=leave_url)


def preview_url(bid: Workspace | None) -> str:
    """Where a search bar asks for its rows; they keep the bid."""
    url = reverse("browse:preview")
    return f"{url}?from_bid={bid.pk}" if bid else url


def short_name(bid: Workspace | None) -> str:
    """As a button names it."""
    return (bid.client or bid.name) if bid else ""
