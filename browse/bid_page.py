"""The working page of one bid: its questions, one of them at hand, and the library."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.safestring import SafeString

from accounts.viewer import Viewer
from browse.bid_list import badge, due
from browse.cards import Result, item_url, results
from core import markdown
from core.errors import BadInput, HubError, NotFound
from kb.domain import responses
from kb.models import Citation, FormQuestion, FormResponse, Workspace
from search.service import Source, record_search, search, spend_search
from search.types import Mode, SearchQuery

FOUND = 8
# So much of a question is offered as what to look for.
_ASKED = 300


@dataclass(frozen=True)
class Line:
    """A question in the list of all."""

    question: FormQuestion
    url: str
    answered: bool
    too_long: bool
    current: bool


@dataclass(frozen=True)
class Cited:
    title: str
    url: str
    replaced_by: str = ""
    replaced_url: str = ""
    archived: bool = False


@dataclass(frozen=True)
class Answer:
    """The question at hand and what stands in its field, saved or not."""

    question: FormQuestion
    text: str
    seen: str
    written: FormResponse | None
    cited: Sequence[Cited]
    saved: bool = False
    conflict: FormResponse | None = None

    @property
    def words(self) -> int:
        return responses.words(self.text)

    @property
    def too_long(self) -> bool:
        limit = self.question.word_limit
        return limit is not None and self.words > limit

    @property
    def html(self) -> SafeString:
        return markdown.render(self.text)

    @property
    def stored_version(self) -> str:
        return responses.version(self.conflict)

    def url(self, action: str) -> str:
        args = [self.question.workspace_id, self.question.pk]
        return reverse(f"browse:{action}", args=args)

    @property
    def save_url(self) -> str:
        return self.url("bid-answer")

    @property
    def edit_url(self) -> str:
        return self.url("bid-question-edit")

    @property
    def insert_url(self) -> str:
        return self.url("bid-insert")

    @property
    def cite_url(self) -> str:
        return self.url("bid-cite")


@dataclass(frozen=True)
class Found:
    """What a search beside the question gave."""

    words: str
    keyword: bool = False
    hits: Sequence[Result] = ()
    total: int = 0
    weak: bool = False
    problem: HubError | None = None
    asked: bool = False


@dataclass(frozen=True)
class BidPage:
    bid: Workspace
    tone: str
    icon: str
    due: str
    late: bool
    lines: Sequence[Line]
    answer: Answer | None
    cited: Sequence[Cited]
    found: Found
    can_edit: bool
    forms: Mapping[str, Any] = field(default_factory=dict)

    @property
    def answered(self) -> int:
        return sum(line.answered for line in self.lines)

    @property
    def percent(self) -> int:
        return round(100 * self.answered / len(self.lines)) if self.lines else 0

    @property
    def following(self) -> Line | None:
        """The question after the one at hand."""
        places = [n for n, line in enumerate(self.lines) if line.current]
        after = self.lines[places[0] + 1 :] if places else []
        return after[0] if after else None

    @property
    def url(self) -> str:
        return reverse("browse:bid", args=[self.bid.pk])

    @property
    def here_url(self) -> str:
        given = {"question": self.answer.question.pk if self.answer else ""}
        return f"{self.url}?{urlencode(given)}"

    @property
    def keyword_url(self) -> str:
        more = urlencode({"find": self.found.words, "mode": "keyword"})
        return f"{self.here_url}&{more}"

    @property
    def browse_url(self) -> str:
        given = {"q": self.found.words} if self.found.words else {}
        query = urlencode({**given, "from_bid": self.bid.pk})
        return f"{reverse('browse:browse')}?{query}"


def bid_or_404(bid_id: int) -> Workspace:
    bid = Workspace.objects.filter(pk=bid_id).first()
    if bid is None:
        raise NotFound("This bid does not exist.")
    return bid


def question_or_404(bid_id: int, question_id: int) -> FormQuestion:
    question = (
        FormQuestion.objects.select_related("workspace")
        .filter(pk=question_id, workspace=bid_id)
        .first()
    )
    if question is None:
        raise NotFound("This question does not exist.")
    return question


def bid_page(
    bid: Workspace,
    viewer: Viewer,
    today: date,
    question_id: int | None,
    found: Found | None = None,
    **answer: Any,
) -> BidPage:
    """Four queries, however many questions; `answer` says what stands in the field
    instead of what is stored. Without a question named, the first that waits."""
    asked = list(
        bid.questions.select_related("response__author").order_by("position", "pk")
    )
    current = _current(asked, question_id)
    citations = responses.cited(viewer, bid)
    tone, icon = badge(bid)
    words, late = due(bid, today)
    shown = _answer(current, citations, bid, answer) if current else None
    return BidPage(
        bid=bid,
        tone=tone,
        icon=icon,
        due=words,
        late=late,
        lines=[_line(bid, each, each is current) for each in asked],
        answer=shown,
        cited=[_cited(c, bid) for c in citations if c.workspace_id],
        found=found or Found(current.text[:_ASKED] if current else ""),
        can_edit=viewer.can_edit,
    )


def find(
    words: str, viewer: Viewer, now: datetime, bid: Workspace, mode: str = ""
) -> Found:
    """Look in the library; what goes wrong is shown in the place of the hits."""
    try:
        query = SearchQuery.of(words, limit=FOUND, mode=mode)
        spend_search(query, viewer)
        answer = search(query, viewer, now)
    except HubError as error:
        return Found(words, problem=error, asked=True)
    log_id = record_search(answer, Source.PAGE, viewer)
    return Found(
        words=words,
        keyword=query.mode is Mode.KEYWORD,
        hits=results(answer.hits, viewer, now.date(), bid, search_id=log_id),
        total=answer.total,
        weak=answer.weak,
        asked=True,
    )


def _current(asked: list[FormQuestion], question_id: int | None) -> FormQuestion | None:
    if question_id is not None:
        for each in asked:
            if each.pk == question_id:
                return each
        raise NotFound("This question does not exist.")
    waiting = (each for each in asked if not _text(each))
    return next(waiting, asked[0] if asked else None)


def _answer(
    question: FormQuestion,
    citations: Sequence[Citation],
    bid: Workspace,
    given: Mapping[str, Any],
) -> Answer:
    written = _written(question)
    stored = {"text": _text(question), "seen": responses.version(written)}
    here = [c for c in citations if written and c.response_id == written.pk]
    cited = [_cited(each, bid) for each in here]
    return Answer(question, written=written, cited=cited, **{**stored, **given})


def _line(bid: Workspace, question: FormQuestion, current: bool) -> Line:
    text, limit = _text(question), question.word_limit
    # Markdown's marks only add words: most answers need no closer look.
    long = limit is not None and len(text.split()) > limit
    return Line(
        question=question,
        url=f"{reverse('browse:bid', args=[bid.pk])}?question={question.pk}",
        answered=bool(text),
        too_long=long and responses.words(text) > (limit or 0),
        current=current,
    )


def _cited(citation: Citation, bid: Workspace) -> Cited:
    item, successor = citation.item, citation.item.superseded_by
    return Cited(
        title=item.title,
        url=item_url(item.pk, bid),
        replaced_by=successor.title if successor else "",
        replaced_url=item_url(successor.pk, bid) if successor else "",
        archived=item.archived_at is not None,
    )


def _written(question: FormQuestion) -> FormResponse | None:
    return getattr(question, "response", None)


def _text(question: FormQuestion) -> str:
    written = _written(question)
    return written.text if written else ""


def whole(name: str, text: str) -> int | None:
    """A number of the address; none where nothing is given."""
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise BadInput(f"{name} must be a whole number.", field=name)
    return int(text)
