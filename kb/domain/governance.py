"""How the library stands, counted by the database: the figures of the dashboard.

Counted are live items, as admin lists them, so that every number leads to its items.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from django.contrib.auth.models import Group
from django.db.models import Case, Count, F, Min, Q, When

from accounts.enums import Role
from accounts.models import User
from accounts.viewer import Viewer
from core.errors import BadInput
from kb.domain.due import due_within, overdue
from kb.domain.ownership import owned_by
from kb.enums import ReviewStatus
from kb.models import ContentChunk, ContentItem, Domain, ItemIndex
from kb.querysets import ContentItemQuerySet, refused_by

LOW = 50
WEEKS = 13
SHOWN = 12


@dataclass(frozen=True)
class Owner:
    """Who answers for an item: a person, a group, or nobody. `key` says it in an
    address: "7", "g3" or "none"."""

    key: str
    name: str


NOBODY = Owner("none", "Nobody yet")


@dataclass(frozen=True)
class Scope:
    """Which part of the library: a domain by its id, an owner by its key or "me"."""

    domain: int | None = None
    owner: str = ""

    def items(self, viewer: Viewer) -> ContentItemQuerySet:
        items = ContentItem.objects.live().order_by()
        if self.domain is not None:
            items = items.filter(primary_domain=self.domain)
        if self.owner == "me":
            items = items.filter(owned_by(viewer))
        elif self.owner:
            items = items.filter(answered_for(self.owner))
        return items

    def __bool__(self) -> bool:
        return self != Scope()


def answered_for(key: str) -> Q:
    """Items of one owner: their own, and of their domains those without an owner."""
    if key == NOBODY.key:
        return _unowned() & Q(primary_domain=None) | _unowned() & Q(
            primary_domain__owner=None, primary_domain__owner_group=None
        )
    name, number = ("owner_group", key[1:]) if key[:1] == "g" else ("owner", key)
    if not (number.isascii() and number.isdigit() and len(number) < 19):
        raise BadInput("owner must be a person or a group.", field="owner")
    own = Q(**{name: int(number)})
    return own | (_unowned() & Q(**{f"primary_domain__{name}": int(number)}))


def _unowned() -> Q:
    return Q(owner=None, owner_group=None)


@dataclass(frozen=True)
class Totals:
    items: int
    changed_this_month: int
    states: Mapping[str, int]
    overdue: int
    overdue_over_a_month: int
    due_30: int
    due_60: int
    due_90: int
    first_due: date | None


def totals(items: ContentItemQuerySet, today: date) -> Totals:
    """`due_60` and `due_90` count what is due in days 31–60 and 61–90."""
    month = datetime.combine(today.replace(day=1), time(), UTC)
    late = overdue(today)
    soon = due_within(today, 30)
    states = {f"state_{s}": _count(Q(governance_review_status=s)) for s in ReviewStatus}
    found = items.aggregate(
        items=Count("pk"),
        changed_this_month=_count(Q(content_changed_at__gte=month)),
        overdue=_count(late),
        overdue_over_a_month=_count(
            late & Q(next_review_date__lt=today - timedelta(days=30))
        ),
        due_30=_count(soon),
        due_60=_count(due_within(today, 60, 31)),
        due_90=_count(due_within(today, 90, 61)),
        first_due=Min("next_review_date", filter=soon),
        **states,
    )
    counted = {s.value: found.pop(f"state_{s}") for s in ReviewStatus}
    return Totals(states=counted, **found)


def _count(condition: Q) -> Count:
    return Count("pk", filter=condition)


def due_by_week(items: ContentItemQuerySet, today: date) -> list[int]:
    """How many fall due in each of the next 13 weeks; today begins the first."""
    rows = (
        items.filter(due_within(today, 7 * WEEKS - 1))
        .values_list("next_review_date")
        .annotate(n=Count("pk"))
    )
    weeks = [0] * WEEKS
    for on, count in rows:
        weeks[(on - today).days // 7] += count
    return weeks


def scores(items: ContentItemQuerySet) -> dict[int, int]:
    """Score → how many items have it."""
    rows = items.values_list("quality_score").annotate(n=Count("pk"))
    return dict(rows.values_list("quality_score", "n"))


def median(counts: Mapping[int, int]) -> int | None:
    half, seen = sum(counts.values()) / 2, 0
    for score in sorted(counts):
        seen += counts[score]
        if seen >= half:
            return score
    return None


@dataclass(frozen=True)
class Late:
    """Overdue items counted by who answers for them and by domain, most first."""

    owners: list[tuple[Owner, int]]
    domains: list[tuple[int | None, str, int]]


def late(items: ContentItemQuerySet, today: date) -> Late:
    """One pass; an item without an owner is its domain's owner's."""
    rows = (
        items.filter(overdue(today))
        .annotate(
            person=Case(
                When(_unowned(), then=F("primary_domain__owner")), default=F("owner")
            ),
            team=Case(
                When(_unowned(), then=F("primary_domain__owner_group")),
                default=F("owner_group"),
            ),
        )
        .values_list("person", "team", "primary_domain", "primary_domain__name")
        .annotate(n=Count("pk"))
    )
    owners: Counter[tuple[int | None, int | None]] = Counter()
    domains: Counter[tuple[int | None, str]] = Counter()
    for person, team, domain, name, count in rows:
        owners[person, team] += count
        domains[domain, name or "No domain"] += count
    return Late(
        _named(owners.most_common(SHOWN)),
        [(key, name, n) for (key, name), n in domains.most_common(SHOWN)],
    )


def _named(
    found: list[tuple[tuple[int | None, int | None], int]],
) -> list[tuple[Owner, int]]:
    people = User.objects.in_bulk([person for (person, _), _ in found if person])
    teams = Group.objects.in_bulk([team for (_, team), _ in found if team])

    def owner(person: int | None, team: int | None) -> Owner:
        if person in people:
            return Owner(str(person), people[person].display_name())
        if team in teams:
            return Owner(f"g{team}", teams[team].name)
        return NOBODY

    return [(owner(*key), count) for key, count in found]


@dataclass(frozen=True)
class Coverage:
    """Items that the model in force has read, has refused, has still to read."""

    embedded: int
    refused: int
    waiting: int

    @property
    def items(self) -> int:
        return self.embedded + self.refused + self.waiting


def coverage(items: ContentItemQuerySet, recipe: str) -> Coverage:
    of_this_text = Q(embedded_hash=F("text_hash"))
    counts = ItemIndex.objects.filter(item__in=items).aggregate(
        all=Count("pk"),
        embedded=_count(of_this_text & Q(recipe=recipe, embedding__isnull=False)),
        refused=_count(of_this_text & Q(recipe=refused_by(recipe))),
    )
    waiting = counts["all"] - counts["embedded"] - counts["refused"]
    return Coverage(counts["embedded"], counts["refused"], waiting)


def sections(recipe: str) -> tuple[int, int]:
    """Of all sections of live items: how many are embedded, and how many there are.
    Read from the index of recipes alone, less the archived ones."""
    every = ContentChunk.objects.order_by()
    archived = every.filter(item__archived_at__isnull=False)
    counts = Counter[str]()
    for sign, those in ((1, every), (-1, archived)):
        for name, count in those.values_list("recipe").annotate(n=Count("pk")):
            counts[name] += sign * count
    return counts[recipe], sum(counts.values())


def domains() -> list[tuple[int, str]]:
    return list(Domain.objects.order_by("name").values_list("pk", "name"))


def owners() -> list[Owner]:
    """Who may answer for something: editors and admins, groups, or nobody."""
    people = User.objects.filter(
        is_active=True, role__in=(Role.EDITOR, Role.ADMIN)
    ).order_by("first_name", "last_name", "pk")
    groups = Group.objects.order_by("name")
    return [
        *(Owner(str(each.pk), each.display_name()) for each in people),
        *(Owner(f"g{each.pk}", each.name) for each in groups),
        NOBODY,
    ]
