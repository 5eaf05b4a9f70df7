"""Citations of items in bids, and the win rates that follow from them."""

from collections.abc import Iterable
from datetime import date
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone

from accounts.models import User
from accounts.viewer import Viewer
from core.errors import BadInput, NotFound
from kb.domain import history, scores
from kb.domain.supersession import in_use
from kb.enums import BidStatus
from kb.models import Citation, ContentItem, FormResponse, Workspace

# A win rate counts, and is shown, only from this many decided bids on.
MIN_DECIDED = 2

_RECOUNT = """
UPDATE kb_contentitem AS item
SET bids_won = counts.won, bids_decided = counts.decided
FROM (
    SELECT target.id,
           count(DISTINCT bid.id) FILTER (WHERE bid.status = 'won') AS won,
           count(DISTINCT bid.id) AS decided
    FROM unnest(%(items)s::uuid[]) AS target(id)
    LEFT JOIN kb_citation AS citation ON citation.item_id = target.id
    LEFT JOIN kb_formresponse AS response ON response.id = citation.response_id
    LEFT JOIN kb_formquestion AS question ON question.id = response.question_id
    LEFT JOIN kb_workspace AS bid
           ON bid.id = coalesce(citation.workspace_id, question.workspace_id)
          AND bid.status IN ('won', 'lost')
    GROUP BY target.id
) AS counts
WHERE item.id = counts.id
  AND (item.bids_won, item.bids_decided) IS DISTINCT FROM (counts.won, counts.decided)
"""


def cite(
    viewer: Viewer,
    item_id: UUID,
    *,
    workspace: Workspace | None = None,
    response: FormResponse | None = None,
    citing_item: ContentItem | None = None,
    today: date | None = None,
    as_is: bool = False,
) -> Citation:
    """Cite an item by exactly one of the three; citing twice changes nothing. Of an
    item that was replaced, the current one is cited, unless `as_is`. `today` is the UTC
    date unless given."""
    viewer.require_editor()
    if [workspace, response, citing_item].count(None) != 2:
        raise BadInput("An item is cited by one bid, one response or one item.")
    cited = item_id if as_is else in_use(viewer, item_id)
    item = ContentItem.objects.visible_to(viewer).filter(pk=cited).first()
    if item is None:
        raise NotFound("This item does not exist, or you may not see it.")
    with transaction.atomic():
        citation, new = Citation.objects.get_or_create(
            item=item,
            workspace=workspace,
            response=response,
            citing_item=citing_item,
            defaults={
                "created_by": User(pk=viewer.user_id) if viewer.user_id else None
            },
        )
        if new:
            recount([item.pk])
            scores.rescore([item.pk], today or timezone.now().date())
    return citation


def set_bid_status(
    viewer: Viewer, workspace_id: int, status: BidStatus, today: date
) -> Workspace:
    """Move a bid on; its outcome changes the win rates of all that it cites."""
    viewer.require_editor()
    with transaction.atomic():
        bid = Workspace.objects.select_for_update().filter(pk=workspace_id).first()
        if bid is None:
            raise NotFound("This bid does not exist.")
        bid.status = status
        decided = status in (BidStatus.WON, BidStatus.LOST)
        bid.decided_on = today if decided else None
        history.update(viewer, [bid], ["status", "decided_on"], f"Bid {status.label}")
        recount(cited_in(bid))
    return bid


def cited_in(bid: Workspace) -> set[UUID]:
    cited = Citation.objects.filter(
        Q(workspace=bid) | Q(response__question__workspace=bid)
    )
    return set(cited.values_list("item_id", flat=True))


def recount(items: Iterable[UUID]) -> None:
    """Count anew in how many decided bids each item is cited, and how many were won."""
    with connection.cursor() as cursor:
        cursor.execute(_RECOUNT, {"items": [str(each) for each in items]})


def win_rate(won: int, decided: int) -> float | None:
    """Share of won among decided bids; None below MIN_DECIDED."""
    return won / decided if decided >= MIN_DECIDED else None
