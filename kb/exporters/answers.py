"""A bid's questions with the answers written to them, as a table to send or keep."""

from collections.abc import Iterator

from accounts.viewer import Viewer
from core.errors import BadInput
from kb.domain.responses import cited, words
from kb.exporters import cells
from kb.models import FormQuestion, Workspace

HEADER = (
    "Number",
    "Section",
    "Question",
    "Answer",
    "Words",
    "Word limit",
    "Answered by",
    "Cites",
)
FORMATS = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


def export(viewer: Viewer, bid: Workspace, kind: str) -> bytes:
    """Titles of items that `viewer` may not see are left out."""
    if kind not in FORMATS:
        raise BadInput.unknown("format", kind, FORMATS)
    rows = list(_rows(viewer, bid))
    if kind == "csv":
        return cells.to_csv(HEADER, rows)
    return cells.to_xlsx("Answers", HEADER, rows)


def _rows(viewer: Viewer, bid: Workspace) -> Iterator[list[cells.Cell]]:
    asked = FormQuestion.objects.filter(workspace=bid).order_by("position")
    titles: dict[int, list[str]] = {}
    for citation in cited(viewer, bid):
        titles.setdefault(citation.response_id or 0, []).append(citation.item.title)
    for question in asked.select_related("response__author"):
        written = getattr(question, "response", None)
        text = written.text if written else ""
        yield [
            question.position,
            question.section,
            question.text,
            text,
            words(text),
            question.word_limit,
            written.author.display_name() if written and written.author else "",
            "; ".join(titles.get(written.pk, ())) if written else "",
        ]
