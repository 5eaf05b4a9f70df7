"""`/bids/<id>/import`: a buyer's table of questions, looked at before it is kept."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import messages
from django.core import signing
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from accounts.viewer import Viewer
from browse.access import signed_in
from browse.bid_page import bid_or_404
from core.errors import BadInput
from kb.domain import bids
from kb.importers import questions, sheets
from kb.importers.sheets import Sheet
from kb.models import Workspace

# The table travels in the page between the look and the import, signed: no server
# keeps it, and nobody can send another. Of the 5 MB that a form may hold.
_SALT = "bid.questions"
_MAX_CARRIED = 4_000_000
_SHOWN = 100


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def import_questions(request: HttpRequest, viewer: Viewer, bid_id: int) -> HttpResponse:
    viewer.require_editor()
    bid = bid_or_404(bid_id)
    if request.method != "POST":
        return _page(request, bid)
    try:
        return _step(request, viewer, bid)
    except BadInput as error:
        return _page(request, bid, status=422, problem=error.message)


def _step(request: HttpRequest, viewer: Viewer, bid: Workspace) -> HttpResponse:
    book = _uploaded(request) or _carried(request)
    sheet = _chosen(book, request.POST.get("sheet", "0"))
    by_hand = {name: request.POST.get(name, "") for name in questions.COLUMNS}
    mapped = by_hand if "text" in request.POST and not request.FILES else None
    asked = list(bid.questions.order_by("position").values_list("section", "text"))
    plan = questions.plan(sheet, mapped, asked)
    if "keep" in request.POST and plan.good:
        made = bids.add_questions(viewer, bid.pk, plan.questions())
        count = f"{len(made)} question{'' if len(made) == 1 else 's'}"
        messages.success(request, f"{count} imported.")
        return HttpResponseRedirect(reverse("browse:bid", args=[bid.pk]))
    return _page(request, bid, **_look(book, sheet, plan))


def _look(book: list[Sheet], sheet: Sheet, plan: questions.Plan) -> dict[str, Any]:
    carried = signing.dumps(
        [[each.name, each.header, each.rows] for each in book],
        salt=_SALT,
        compress=True,
    )
    if len(carried) > _MAX_CARRIED:
        raise BadInput("The table is too large. Import it in parts.", field="file")
    return {
        "carried": carried,
        "sheets": [(n, each.name, each is sheet) for n, each in enumerate(book)],
        "choices": _choices(sheet.header, plan.columns),
        "plan": plan,
        "shown": plan.rows[:_SHOWN],
        "hidden": max(0, len(plan.rows) - _SHOWN),
        "hidden_bad": sum(bool(row.problem) for row in plan.rows[_SHOWN:]),
    }


def _choices(header: Sequence[str], columns: Mapping[str, int]) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "label": questions.LABELS[name],
            "columns": [
                (place, column, columns.get(name) == place)
                for place, column in enumerate(header)
            ],
        }
        for name in questions.COLUMNS
    ]


def _uploaded(request: HttpRequest) -> list[Sheet]:
    file = request.FILES.get("file")
    if file is None:
        return []
    if (file.size or 0) > sheets.MAX_BYTES:
        most = sheets.MAX_BYTES // 1024**2
        raise BadInput(f"The file is larger than {most} MB.", field="file")
    return sheets.read(file.name or "The file", file.read())


def _carried(request: HttpRequest) -> list[Sheet]:
    carried = request.POST.get("carried", "")
    if not carried:
        raise BadInput("Choose a file first.", field="file")
    try:
        book = signing.loads(carried, salt=_SALT)
    except signing.BadSignature:
        raise BadInput("The table was cut on its way. Choose the file again.") from None
    return [
        Sheet(name, tuple(header), tuple((n, tuple(cells)) for n, cells in rows))
        for name, header, rows in book
    ]


def _chosen(book: list[Sheet], place: str) -> Sheet:
    if not (place.isascii() and place.isdigit() and len(place) < 4):
        raise BadInput("Choose a sheet of the workbook.", field="sheet")
    if int(place) >= len(book):
        raise BadInput("The workbook has no such sheet.", field="sheet")
    return book[int(place)]


def _page(
    request: HttpRequest, bid: Workspace, status: int = 200, **context: Any
) -> HttpResponse:
    context |= {"bid": bid, "most": sheets.MAX_BYTES // 1024**2}
    return render(request, "browse/bids/import.html", context, status=status)
