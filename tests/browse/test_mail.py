"""What the weekly digest tells of presets and questions."""

from datetime import timedelta

import pytest

from accounts.models import User
from browse import presets, questions
from browse.mail import answered_questions, followed_presets
from browse.models import FilterPreset
from core.registry import MailTime
from kb.filters import ItemFilters
from tests.factories.library import NOW, domain, item

pytestmark = pytest.mark.django_db
WEEK = MailTime(
    NOW.date(), NOW - timedelta(days=7), NOW + timedelta(days=1), daily=False
)


def test_a_followed_preset_tells_what_is_new_or_overdue_in_it(charlie: User) -> None:
    people = domain("People")
    item("New", primary_domain=people)
    item("Secret", primary_domain=people, governance_review_status="draft")
    long_ago = NOW - timedelta(days=300)
    late = NOW.date() - timedelta(days=3)
    item("Late", primary_domain=people, now=long_ago, next_review_date=late)
    item("Elsewhere")
    viewer = charlie.viewer()
    made = presets.save(viewer, "People", ItemFilters(domain=("People",)), NOW)
    assert followed_presets([charlie.pk], WEEK) == {}
    presets.follow(viewer, made.id, on=True)
    part = followed_presets([charlie.pk], WEEK)[charlie.pk]
    assert [(line.text, line.note, line.path) for line in part.lines] == [
        ("People", "1 new or changed, 1 overdue", f"/presets/{made.id}")
    ]


def test_no_news_no_mail(charlie: User) -> None:
    item("Old", now=NOW - timedelta(days=300))
    presets.follow(charlie.viewer(), "system-qa", on=True)
    assert followed_presets([charlie.pk], WEEK) == {}


def test_a_preset_that_is_gone_or_not_shared_any_more_says_nothing(
    charlie: User, bob: User
) -> None:
    item("New", primary_domain=domain("People"))
    theirs = presets.save(
        bob.viewer(), "People", ItemFilters(domain=("People",)), NOW, shared=True
    )
    presets.follow(charlie.viewer(), theirs.id, on=True)
    assert charlie.pk in followed_presets([charlie.pk], WEEK)
    presets.share(bob.viewer(), theirs.id, shared=False)
    assert followed_presets([charlie.pk], WEEK) == {}
    presets.share(bob.viewer(), theirs.id, shared=True)
    FilterPreset.objects.update(params="content_type=fax")
    assert followed_presets([charlie.pk], WEEK) == {}


def test_the_asker_is_told_of_the_answer(charlie: User, bob: User) -> None:
    asked = questions.ask(charlie.viewer(), "Do you test backups?", NOW)
    assert answered_questions([charlie.pk], WEEK) == {}
    found = item("Backup tests")
    questions.answer(bob.viewer(), asked.pk, found.pk, NOW, "Yes.")
    parts = answered_questions([charlie.pk, bob.pk], WEEK)
    assert list(parts) == [charlie.pk]
    [line] = parts[charlie.pk].lines
    assert (line.text, line.note) == ("Do you test backups?", "Yes.")
    assert line.path == f"/items/{found.pk}"
