"""What the weekly digest tells of presets one follows, and of answered questions."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from django.db.models import Q

from accounts.models import User
from accounts.viewer import Viewer
from browse.models import PresetFollow, Question
from browse.presets import Preset, presets
from browse.questions import WAITING
from core.errors import BadInput
from core.registry import MailLine, MailPart, MailTime
from kb.domain.due import overdue
from kb.models import ContentItem

SHOWN = 10


def followed_presets(people: Sequence[int], when: MailTime) -> Mapping[int, MailPart]:
    """What is new or overdue in each; presets that somebody no longer sees say nothing.
    Two queries, and two for each person who follows one."""
    follows: dict[int, set[str]] = defaultdict(set)
    rows = PresetFollow.objects.filter(user__in=people).values_list("user", "preset")
    for user_id, preset_id in rows:
        follows[user_id].add(preset_id)
    parts = {}
    for user in User.objects.filter(pk__in=follows):
        viewer = user.viewer()
        lines = [
            line
            for each in presets(viewer)
            if each.id in follows[user.pk] and (line := _line(each, viewer, when))
        ]
        if lines:
            count = f"{len(lines)} preset{'' if len(lines) == 1 else 's'} with news"
            parts[user.pk] = MailPart(
                "In presets you follow", tuple(lines[:SHOWN]), len(lines), count
            )
    return parts


def _line(preset: Preset, viewer: Viewer, when: MailTime) -> MailLine | None:
    try:
        filters = preset.filters()
    except BadInput:
        return None
    items = (
        ContentItem.objects.visible_to(viewer)
        .live()
        .matching(filters, viewer, when.today)
        .order_by()
    )
    news = Q(content_changed_at__gte=when.since, content_changed_at__lt=when.until)
    new, late = items.filter(news).count(), items.filter(overdue(when.today)).count()
    said = [f"{new} new or changed"] if new else []
    said += [f"{late} overdue"] if late else []
    path = f"/presets/{quote(preset.id)}"
    return MailLine(preset.name, ", ".join(said), path) if said else None


def answered_questions(people: Sequence[int], when: MailTime) -> Mapping[int, MailPart]:
    """To who asked; the answer stands on their front page too."""
    rows = (
        Question.objects.filter(
            asked_by__in=people,
            closed_at__gte=when.since,
            closed_at__lt=when.until,
        )
        .exclude(state__in=WAITING)
        .order_by("closed_at")
        .values_list("asked_by", "text", "item", "reply")
    )
    heaps: dict[int, list[MailLine]] = defaultdict(list)
    for user_id, text, item_id, reply in rows:
        path = f"/items/{item_id}" if item_id else "/questions?show=asked"
        heaps[user_id].append(MailLine(text[:200], reply[:200], path))
    return {
        user_id: MailPart(
            "Answers to your questions",
            tuple(lines[:SHOWN]),
            len(lines),
            f"{len(lines)} answered",
            "/questions?show=asked",
        )
        for user_id, lines in heaps.items()
    }
