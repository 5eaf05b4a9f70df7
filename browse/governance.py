"""What the dashboard shows: figures, charts with their tables, what to mend first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.formats import date_format

from accounts.viewer import Viewer
from browse import charts
from browse.bid_page import whole
from browse.charts import Chart, Row
from kb.domain import cleanup, decisions, governance
from kb.domain.due import IN_FORCE
from kb.domain.governance import LOW, WEEKS, Coverage, Owner, Scope, Totals
from kb.embedding import recipe
from kb.enums import ReviewStatus
from search.service import Insight, insight

_STATES = {
    ReviewStatus.APPROVED: "f-ok",
    ReviewStatus.REVIEW_OVERDUE: "f-bad",
    ReviewStatus.IN_REVIEW: "f-info",
    ReviewStatus.DRAFT: "f-mute",
}
# Actions of admin that mend, as its list of items names them.
ACTIONS = (
    ("mark_reviewed", "Mark reviewed"),
    ("send_to_review", "Send to review"),
    ("set_owner", "Set owner"),
    ("set_cadence", "Set cadence"),
    ("archive", "Archive"),
)


@dataclass(frozen=True)
class Choice:
    value: str
    label: str
    chosen: bool


@dataclass(frozen=True)
class Tab:
    label: str
    count: int | None
    url: str
    current: bool


@dataclass(frozen=True)
class Bar:
    label: str
    count: int
    percent: float
    url: str


@dataclass(frozen=True)
class Line:
    """A row of the clean-up table."""

    item: Any
    url: str
    admin_url: str
    owner: str
    reasons: Sequence[str]


@dataclass(frozen=True)
class Dashboard:
    today: date
    scope: Scope
    domains: Sequence[Choice]
    owners: Sequence[Choice]
    totals: Totals
    median: int | None
    low: int
    coverage: Coverage
    model: str
    states: Chart
    due: Chart
    quality: Chart
    embedding: Chart
    sections: tuple[int, int] | None
    by_owner: Sequence[Bar]
    by_domain: Sequence[Bar]
    runs: Sequence[decisions.Ran]
    decisions: Sequence[decisions.Decision]
    fix: str
    tabs: Sequence[Tab]
    lines: Sequence[Line]
    insight: Insight
    people: Sequence[Owner]
    links: Mapping[str, str]
    can_govern: bool

    @property
    def actions(self) -> Sequence[tuple[str, str]]:
        return ACTIONS

    @property
    def embedded_percent(self) -> int:
        """Rounded down: 100 % means all."""
        return 100 * self.coverage.embedded // (self.coverage.items or 1)


def read_scope(domain: str, owner: str) -> Scope:
    return Scope(whole("domain", domain), owner)


def dashboard(viewer: Viewer, scope: Scope, fix: str, now: datetime) -> Dashboard:
    """A constant number of queries, each one pass of the database over the items."""
    viewer.require_editor()
    today, items = now.date(), scope.items(viewer)
    totals = governance.totals(items, today)
    scores = governance.scores(items)
    late, owners = governance.late(items, today), governance.owners()
    names = recipe()
    coverage = governance.coverage(items, names.name)
    admin = _Admin(scope)
    return Dashboard(
        today=today,
        scope=scope,
        domains=[
            Choice(str(key), name, key == scope.domain)
            for key, name in governance.domains()
        ],
        owners=_owners(scope, owners),
        totals=totals,
        median=governance.median(scores),
        low=sum(n for score, n in scores.items() if score < LOW),
        coverage=coverage,
        model=names.name,
        states=_states(totals, admin),
        due=_due(totals, governance.due_by_week(items, today), today, admin),
        quality=_quality(scores, admin),
        embedding=_embedding(coverage, admin),
        sections=None if scope else governance.sections(names.name),
        by_owner=_by_owner(scope, late.owners),
        by_domain=_by_domain(scope, late.domains),
        runs=decisions.last_runs(),
        decisions=decisions.decisions(now),
        fix=fix,
        tabs=_tabs(scope, fix, cleanup.counts(items, today)),
        lines=[_line(each) for each in cleanup.first(items, today, fix)],
        insight=insight(viewer, now),
        people=[each for each in owners if each.key.isdigit()],
        links=admin.links(today),
        can_govern=viewer.can_govern,
    )


class _Admin:
    """Ways into admin's list of items, within the scope."""

    def __init__(self, scope: Scope) -> None:
        self._kept: dict[str, str] = {}
        if scope.domain is not None:
            self._kept["primary_domain__id__exact"] = str(scope.domain)
        if scope.owner:
            self._kept["answers"] = scope.owner

    def items(self, **filters: object) -> str:
        given = {name: str(value) for name, value in filters.items()}
        query = urlencode({**self._kept, **given}, safe=",")
        url = reverse("admin:kb_contentitem_changelist")
        return f"{url}?{query}" if query else url

    def due(self, first: date, last: date) -> str:
        return self.items(
            governance_review_status__in=",".join(IN_FORCE),
            next_review_date__gte=first,
            next_review_date__lte=last,
        )

    def state(self, state: ReviewStatus) -> str:
        return self.items(governance_review_status__exact=state.value)

    def links(self, today: date) -> dict[str, str]:
        return {
            "items": self.items(),
            "overdue": self.items(due="overdue"),
            "due": self.due(today, today + timedelta(days=30)),
            "low": self.items(quality_score__lt=LOW),
            "waiting": self.items(embedding="waiting"),
            "action": reverse("admin:kb_contentitem_changelist"),
            "runs": reverse("admin:kb_jobrun_changelist"),
            "searches": reverse("admin:search_searchlog_changelist")
            + "?found_nothing__exact=1",
            "write": reverse("browse:item-new"),
        }


def url(scope: Scope, **others: str) -> str:
    given = {
        "domain": "" if scope.domain is None else str(scope.domain),
        "owner": scope.owner,
        **others,
    }
    query = urlencode({name: value for name, value in given.items() if value})
    path = reverse("browse:governance")
    return f"{path}?{query}" if query else path


def _owners(scope: Scope, owners: Sequence[Owner]) -> list[Choice]:
    mine = Owner("me", "Mine and my groups’")
    return [
        Choice(each.key, each.name, each.key == scope.owner) for each in (mine, *owners)
    ]


def _states(totals: Totals, admin: _Admin) -> Chart:
    rows = [
        Row(state.label, totals.states[state.value], admin.state(state), css)
        for state, css in _STATES.items()
    ]
    said = ", ".join(f"{row.count:,} {row.label.lower()}" for row in rows)
    return replace(charts.strip(rows, f"{said}."), head="State")


def _due(totals: Totals, weeks: list[int], today: date, admin: _Admin) -> Chart:
    rows = []
    for place, count in enumerate(weeks):
        first = today + timedelta(days=7 * place)
        last = first + timedelta(days=6)
        css = "f-acc" if place < 4 else "f-soft"
        rows.append(Row(f"From {_day(first)}", count, admin.due(first, last), css))
    periods = [(1, 30, totals.due_30), (31, 60, totals.due_60), (61, 90, totals.due_90)]
    table = [
        Row(
            "Next 30 days" if first == 1 else f"Days {first} to {last}",
            count,
            # Today counts among the next 30.
            admin.due(
                today + timedelta(days=0 if first == 1 else first),
                today + timedelta(days=last),
            ),
        )
        for first, last, count in periods
    ]
    busiest = max(range(WEEKS), key=weeks.__getitem__)
    sentence = (
        f"Reviews due: {totals.due_30:,} in the next 30 days, "
        f"{totals.due_60:,} in days 31 to 60, {totals.due_90:,} in days 61 to 90."
    )
    if weeks[busiest]:
        start = _day(today + timedelta(days=7 * busiest))
        sentence += f" The busiest week starts on {start} with {weeks[busiest]:,}."
    chart = charts.bars(rows, sentence, "Period")
    end = 7 * WEEKS
    thirds = [_percent(31 / end), _percent(61 / end)]
    return replace(
        chart,
        rows=[*table, *rows],
        lines=thirds,
        names=[
            ("0%", "Days 1–30: ", f"{totals.due_30:,}"),
            (f"{_shifted(31 / end)}%", "31–60: ", f"{totals.due_60:,}"),
            (f"{_shifted(61 / end)}%", "61–90: ", f"{totals.due_90:,}"),
        ],
        ticks=[
            ("0%", "start", _day(today)),
            (thirds[0] + "%", "start", _day(today + timedelta(days=31))),
            (thirds[1] + "%", "start", _day(today + timedelta(days=61))),
            ("100%", "end", _day(today + timedelta(days=end - 1))),
        ],
    )


def _quality(scores: Mapping[int, int], admin: _Admin) -> Chart:
    rows = []
    for low in range(0, 100, 10):
        high = 100 if low == 90 else low + 9
        count = sum(n for score, n in scores.items() if low <= score <= high)
        way = admin.items(quality_score__gte=low, quality_score__lte=high)
        css = "f-warn" if low < LOW else "f-acc"
        rows.append(Row(f"{low} to {high}", count, way, css))
    under = sum(row.count for row in rows[:5])
    total = sum(row.count for row in rows)
    most = max(rows, key=lambda row: row.count)
    sentence = f"Distribution of {total:,} quality scores. {under:,} are under {LOW}"
    sentence += f"; most, {most.count:,}, lie at {most.label}." if total else "."
    chart = charts.bars(rows, sentence, "Score")
    return replace(
        chart,
        lines=["50"],
        names=[
            ("0%", f"Under {LOW}: ", f"{under:,}"),
            ("51%", f"{LOW} and over: ", f"{total - under:,}"),
        ],
        ticks=[
            (f"{n}%", "end" if n == 100 else "start", str(n)) for n in range(0, 101, 20)
        ],
    )


def _embedding(coverage: Coverage, admin: _Admin) -> Chart:
    rows = [
        Row("Embedded", coverage.embedded, admin.items(embedding="current"), "f-acc"),
        Row("Waiting", coverage.waiting, admin.items(embedding="waiting"), "f-soft"),
        Row("Refused", coverage.refused, admin.items(embedding="refused"), "f-bad"),
    ]
    sentence = (
        f"{coverage.embedded:,} of {coverage.items:,} items embedded, "
        f"{coverage.waiting:,} waiting, {coverage.refused:,} refused by the model."
    )
    return replace(charts.strip(rows, sentence), head="Vectors")


def _by_owner(scope: Scope, found: Sequence[tuple[Owner, int]]) -> list[Bar]:
    most = max((count for _, count in found), default=1)
    return [
        Bar(
            owner.name,
            count,
            100 * count / most,
            _Admin(replace(scope, owner=owner.key)).items(due="overdue"),
        )
        for owner, count in found
    ]


def _by_domain(scope: Scope, found: Sequence[tuple[int | None, str, int]]) -> list[Bar]:
    most = max((count for _, _, count in found), default=1)
    return [
        Bar(
            name,
            count,
            100 * count / most,
            _Admin(replace(scope, domain=key)).items(due="overdue")
            if key is not None
            else _Admin(replace(scope, domain=None)).items(
                due="overdue", primary_domain__isnull="True"
            ),
        )
        for key, name, count in found
    ]


def _tabs(scope: Scope, fix: str, counts: Mapping[str, int]) -> list[Tab]:
    every = Tab("All", None, f"{url(scope)}#mend", not fix)
    return [
        every,
        *(
            Tab(each.label, counts[name], f"{url(scope, fix=name)}#mend", fix == name)
            for name, each in cleanup.REASONS.items()
        ),
    ]


def _line(found: cleanup.ToMend) -> Line:
    item = found.item
    owner = item.owner.display_name() if item.owner else ""
    return Line(
        item=item,
        url=reverse("browse:item", args=[item.pk]),
        admin_url=reverse("admin:kb_contentitem_change", args=[item.pk]),
        owner=owner or (item.owner_group.name if item.owner_group else ""),
        reasons=[reason.why for reason in found.reasons],
    )


def _day(day: date) -> str:
    return date_format(day, "j M")


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _shifted(share: float) -> str:
    """A name beside a line, not on it."""
    return _percent(share + 0.014)
