"""A library of thousands, whose texts overlap as those of one firm do."""

import random
from datetime import timedelta

from accounts.viewer import Viewer
from kb.domain.lifecycle import create_items
from kb.domain.terms import refresh_statistics
from kb.embedding import embed_missing
from kb.models import ContentItem
from tests.factories.library import NOW, domain, unsaved

SIZE = 2_000
_BATCH = 500
_TOPICS = (
    "backup restore retention tapes",
    "access control passwords vetting",
    "incident response escalation severity",
    "hosting datacentre power cooling",
    "accessibility statement audit wcag",
    "carbon reduction energy travel",
    "training induction apprentices skills",
    "migration cutover rollback rehearsal",
)
_WORDS = (
    "policy process team customer service review report quarter evidence plan risk "
    "supplier contract standard control owner measure result support record"
).split()
_TYPES = ("article", "policy", "qa_pair", "case_study")


def build() -> list[ContentItem]:
    dice = random.Random(7)  # noqa: S311 - the same library each time
    names = [domain(f"Domain {n}") for n in range(len(_TOPICS))]
    made: list[ContentItem] = []
    for start in range(0, SIZE, _BATCH):
        items = []
        for number in range(start, start + _BATCH):
            topic = dice.randrange(len(_TOPICS))
            words = dice.choices(_TOPICS[topic].split() + _WORDS, k=18)
            changed = NOW - timedelta(days=dice.randrange(600))
            items.append(
                unsaved(
                    f"{' '.join(words[:3]).capitalize()} {number}",
                    f"{' '.join(words)} REF-{number:05}.",
                    primary_domain=names[topic],
                    content_type=dice.choice(_TYPES),
                    content_changed_at=changed,
                    subtopic=f"Part {number % 40}",
                )
            )
        made += create_items(Viewer.system(), items, NOW)
    embed_missing(batch=2_000)
    refresh_statistics(NOW)
    return made
