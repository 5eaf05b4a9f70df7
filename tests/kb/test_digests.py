"""The digests: who gets what, once; and mails that read well and lead back."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from email import message_from_bytes, policy
from typing import Any

import pytest
from celery import current_app
from django.contrib.auth.models import Group
from django.core.mail import EmailMessage
from django.core.mail.backends.locmem import EmailBackend
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django_celery_beat.models import PeriodicTask

from accounts.enums import Digest, Role
from accounts.mail import unsubscribe_path
from accounts.models import User
from accounts.viewer import Viewer
from core import registry
from core.registry import MailLine, MailPart, MailSection, MailTime
from kb import digests, tasks
from kb.domain import jobs, review
from kb.domain.bids import add_questions, open_bid
from kb.domain.requests import request_review
from kb.domain.responses import answer
from kb.enums import CadenceKind, DigestKind, JobOutcome, ReviewStatus
from kb.models import DigestSent, FormQuestion, JobRun, Workspace
from tests.factories.library import domain, item

pytestmark = pytest.mark.django_db
MONDAY = datetime(2026, 6, 15, 8, tzinfo=UTC)
TODAY = MONDAY.date()
DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def _public(settings: Any) -> None:
    settings.PUBLIC_URL = "https://hub.example.org/"


@pytest.fixture
def owner() -> User:
    return person("imani", first_name="Imani")


def person(name: str, **values: Any) -> User:
    values.setdefault("role", Role.EDITOR)
    return User.objects.create_user(name, f"{name}@example.org", None, **values)


def due(title: str, days: int, **values: Any) -> None:
    at = TODAY + days * DAY
    item(title, embedded=False, next_review_date=at, **values)


def weekly(now: datetime = MONDAY, **options: Any) -> dict[str, int]:
    return dict(digests.send(DigestKind.WEEKLY, now, **options).counts)


# --- Who gets what ----------------------------------------------------------------


def test_an_owner_is_told_what_is_overdue_and_what_falls_due(
    owner: User, mailoutbox: list[EmailMessage]
) -> None:
    due("Late", -12, owner=owner)
    due("Soon", 3, owner=owner)
    due("Far", 31, owner=owner)
    due("Draft", 3, owner=owner, governance_review_status=ReviewStatus.DRAFT)
    due("Nobody's", 3)
    assert weekly()["sent"] == 1
    [sent] = mailoutbox
    assert sent.to == ["imani@example.org"]
    assert sent.subject == "Knowledge Hub: 1 overdue, 1 due soon"
    assert "- Late (overdue by 12 days)" in sent.body
    assert "- Soon (due 18 Jun 2026, in 3 days)" in sent.body
    assert not re.search("Far|Draft|Nobody", str(sent.body))


def test_groups_reach_their_members_and_domains_own_what_has_no_owner(
    owner: User, mailoutbox: list[EmailMessage]
) -> None:
    team = Group.objects.create(name="Hosting")
    hana = person("hana")
    for each in (owner, hana):
        each.groups.add(team)
    due("Of the team", 1, owner_group=team)
    due("Of the domain", 2, primary_domain=domain("Hosting", owner_group=team))
    due("Of Hana", 2, primary_domain=domain("Hosting"), owner=hana)
    weekly()
    assert {each.to[0]: each.subject for each in mailoutbox} == {
        "imani@example.org": "Knowledge Hub: 2 due soon",
        "hana@example.org": "Knowledge Hub: 3 due soon",
    }


def test_a_mail_names_the_first_and_counts_the_rest(
    owner: User, mailoutbox: list[EmailMessage]
) -> None:
    for n in range(13):
        due(f"Late {n:02}", n - 20, owner=owner)
    weekly()
    body = mailoutbox[0].body
    assert body.count("- Late") == 10
    assert body.index("Late 00") < body.index("Late 09")
    assert "and 3 more: https://hub.example.org/governance?owner=me" in body


def test_requests_edits_and_answers_are_told(
    owner: User, editor: Viewer, mailoutbox: list[EmailMessage]
) -> None:
    made = item("Backup policy", embedded=False)
    request_review(editor, [made.pk], MONDAY, person=owner, due_on=TODAY + DAY)
    bid = open_bid(owner.viewer(), Workspace(name="Desk"), TODAY)
    [asked] = add_questions(editor, bid.pk, [FormQuestion(text="Who?")])
    answer(editor, asked, "Us.", MONDAY)
    asked.response.updated_at = MONDAY - DAY
    asked.response.save_base(update_fields=["updated_at"], raw=True)
    weekly()
    [sent] = mailoutbox
    assert sent.subject == "Knowledge Hub: 1 asked of you, 1 answer"
    assert "- Backup policy (by 16 Jun 2026)" in sent.body
    assert "- Desk (1 question answered)" in sent.body


def test_a_review_one_asked_for_is_told_when_another_did_it(
    owner: User, governor: Viewer, mailoutbox: list[EmailMessage]
) -> None:
    made = item("Backup policy", embedded=False)
    asked = person("ruth")
    before = MONDAY - 2 * DAY
    request_review(owner.viewer(), [made.pk], before, person=asked)
    review.mark_reviewed(asked.viewer(), [made.pk], before)
    weekly()
    assert [each.to for each in mailoutbox] == [["imani@example.org"]]
    assert "- Backup policy (reviewed by ruth)" in mailoutbox[0].body


def test_nobody_gets_an_empty_mail(owner: User, mailoutbox: list[EmailMessage]) -> None:
    assert weekly() == {
        "sent": 0,
        "nothing_to_say": 1,
        "no_address": 0,
        "sent_before": 0,
    }
    assert mailoutbox == []


def test_who_wants_none_is_gone_or_has_no_address_gets_none(
    mailoutbox: list[EmailMessage],
) -> None:
    due("A", 1, owner=person("a", digest=Digest.OFF))
    due("B", 1, owner=person("b", is_active=False))
    due("C", 1, owner=User.objects.create_user("c", role=Role.EDITOR))
    assert weekly()["no_address"] == 1
    assert mailoutbox == []


def test_what_is_due_today_is_mailed_on_the_day_to_those_who_asked(
    owner: User, mailoutbox: list[EmailMessage]
) -> None:
    keen = person("keen", digest=Digest.DAILY)
    for each in (owner, keen):
        due("Today", 1, owner=each)
        due("Tomorrow", 2, owner=each)
    digests.send(DigestKind.DAILY, MONDAY + DAY)
    [sent] = mailoutbox
    assert (sent.to, sent.subject) == (
        ["keen@example.org"],
        "Knowledge Hub: 1 due today",
    )
    assert "Tomorrow" not in sent.body


def test_a_section_of_another_room_comes_along_in_its_place(
    owner: User, monkeypatch: pytest.MonkeyPatch, mailoutbox: list[EmailMessage]
) -> None:
    part = MailPart("New in your presets", (MailLine("One", "", "/browse?q=1"),), 1)

    def collect(people: Any, when: MailTime) -> dict[int, MailPart]:
        assert (when.since, when.until) == (
            MONDAY.replace(hour=0) - 7 * DAY,
            MONDAY.replace(hour=0),
        )
        return {owner.pk: part} if owner.pk in people else {}

    monkeypatch.setattr(registry, "_mail", {**registry._mail})
    registry.add_mail_section(MailSection(5, "presets", collect))
    due("Late", -1, owner=owner)
    weekly()
    body = mailoutbox[0].body
    assert body.index("New in your presets") < body.index("Overdue")
    assert "https://hub.example.org/browse?q=1" in body


def test_the_number_of_queries_does_not_grow_with_people_but_for_their_mails(
    mailoutbox: list[EmailMessage],
) -> None:
    def cost(people: int) -> int:
        for n in range(people):
            due(f"{people} {n}", 1, owner=person(f"p{people}{n}"))
        with CaptureQueriesContext(connection) as queries:
            weekly(MONDAY + people * 7 * DAY)
        return sum(
            "kb_digestsent" not in q["sql"] and "SAVEPOINT" not in q["sql"]
            for q in queries
        )

    first = cost(1)
    assert (first, cost(3)) == (first, first)


# --- Once -------------------------------------------------------------------------


def test_running_again_sends_nothing_twice(
    owner: User, mailoutbox: list[EmailMessage]
) -> None:
    due("Late", -1, owner=owner)
    weekly()
    assert digests.send(DigestKind.WEEKLY, MONDAY).ran is jobs.Ran.ALREADY
    assert digests.send(DigestKind.WEEKLY, MONDAY + 3 * DAY).ran is jobs.Ran.ALREADY
    assert weekly(again=True)["sent_before"] == 1
    assert len(mailoutbox) == 1


class Failing(EmailBackend):
    """Takes mails for all but those who are named."""

    refused: tuple[str, ...] = ()
    died_at: str = ""

    def send_messages(self, messages: Any) -> int:
        for each in messages:
            if each.to[0].split("@")[0] in self.refused:
                raise ConnectionError("no such mailbox")
            if each.to[0].split("@")[0] == self.died_at:
                raise SystemExit  # as when a worker is told to stop
        return super().send_messages(messages)


@pytest.fixture
def failing(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    settings.EMAIL_BACKEND = f"{__name__}.Failing"

    def set_up(*refused: str, died_at: str = "") -> None:
        monkeypatch.setattr(Failing, "refused", refused)
        monkeypatch.setattr(Failing, "died_at", died_at)

    return set_up


def test_one_address_that_fails_stops_no_other_and_is_tried_again(
    failing: Callable[..., None], mailoutbox: list[EmailMessage]
) -> None:
    for name in ("a", "b", "c"):
        due(name, 1, owner=person(name))
    failing("b")
    with pytest.raises(digests.MailFailed, match=r"1 mail failed, 2 went out\."):
        weekly()
    assert JobRun.objects.get().outcome == JobOutcome.FAILED
    failing()
    assert weekly()["sent"] == 1
    assert [each.to[0][0] for each in mailoutbox] == ["a", "c", "b"]


def test_a_run_killed_half_way_goes_on_where_it_stopped(
    failing: Callable[..., None], mailoutbox: list[EmailMessage]
) -> None:
    for name in ("a", "b", "c"):
        due(name, 1, owner=person(name))
    failing(died_at="b")
    with pytest.raises(SystemExit):
        weekly()
    failing()
    assert digests.send(DigestKind.WEEKLY, MONDAY).ran is jobs.Ran.ELSEWHERE
    assert weekly(MONDAY + jobs.DEAD_AFTER)["sent"] == 2
    assert [each.to[0][0] for each in mailoutbox] == ["a", "b", "c"]


def test_a_server_that_takes_no_mail_is_not_asked_for_everybody(
    failing: Callable[..., None], mailoutbox: list[EmailMessage]
) -> None:
    names = [f"p{n}" for n in range(7)]
    for name in names:
        due(name, 1, owner=person(name))
    failing(*names)
    with pytest.raises(digests.MailFailed, match="does not take mail"):
        weekly()
    assert DigestSent.objects.count() == 0


def test_the_task_tries_again_later(
    owner: User, failing: Callable[..., None], mailoutbox: list[EmailMessage]
) -> None:
    due("Late", -2000, owner=owner)
    failing("imani")
    with pytest.raises(digests.MailFailed):
        tasks.weekly_digest()
    failing()
    tasks.weekly_digest()
    assert len(mailoutbox) == 1


def test_a_month_of_days_sends_one_mail_a_week_and_reviews_end_it(
    owner: User, mailoutbox: list[EmailMessage]
) -> None:
    """Every day each job runs twice; the item falls due on the 10th day."""
    due("Policy", 10, owner=owner, cadence=CadenceKind.PERIOD, review_cadence_days=365)
    sent: list[tuple[date, str]] = []
    for day in range(28):
        now = MONDAY + day * DAY
        review.flag_overdue(now)
        for _ in range(2):
            digests.send(DigestKind.WEEKLY, now, again=True)
            digests.send(DigestKind.DAILY, now, again=True)
        sent += [(now.date(), str(each.subject)) for each in mailoutbox[len(sent) :]]
        if day == 15:
            key = DigestSent.objects.earliest("pk").user.owned_items.get().pk
            review.mark_reviewed(owner.viewer(), [key], now)
    assert sent == [
        (TODAY, "Knowledge Hub: 1 due soon"),
        (TODAY + 7 * DAY, "Knowledge Hub: 1 due soon"),
        (TODAY + 14 * DAY, "Knowledge Hub: 1 overdue"),
    ]


@pytest.mark.django_db(transaction=True)
def test_two_that_send_at_once_send_one_mail_each(
    mailoutbox: list[EmailMessage],
) -> None:
    """As when a run that was taken for dead goes on."""
    for name in ("a", "b", "c"):
        due(name, 1, owner=person(name))

    def run() -> dict[str, int]:
        try:
            return digests._send_all(DigestKind.WEEKLY, TODAY, MONDAY)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        done = [each.result() for each in [pool.submit(run), pool.submit(run)]]
    assert sorted(each.to[0][0] for each in mailoutbox) == ["a", "b", "c"]
    assert sum(each["sent"] for each in done) == 3
    assert sum(each["sent_before"] for each in done) == 3


# --- The mail itself --------------------------------------------------------------


def test_links_are_absolute_in_both_forms_and_the_way_out_is_in_the_header(
    owner: User, mailoutbox: list[EmailMessage]
) -> None:
    due("Late & <b>bold</b>", -1, owner=owner)
    weekly()
    sent = message_from_bytes(mailoutbox[0].message().as_bytes(), policy=policy.default)
    plain, rich = sent.get_body(("plain",)), sent.get_body(("html",))
    assert plain is not None
    assert rich is not None
    text, html = plain.get_content(), rich.get_content()
    urls = re.findall(r"(?:href|src)=\"([^\"]*)\"", html)
    assert len(urls) == 3
    assert all(url.startswith("https://hub.example.org/") for url in urls)
    assert re.findall(r"^\s+(https://hub.example.org/items/\S+)$", text, re.MULTILINE)
    assert "Late & <b>bold</b>" in text
    assert "Late &amp; &lt;b&gt;bold&lt;/b&gt;" in html
    stop = f"https://hub.example.org{unsubscribe_path(owner.pk)}"
    assert sent["List-Unsubscribe"].replace("\n", "").replace(" ", "") == f"<{stop}>"
    assert sent["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert sent["Message-ID"] == f"<weekly.2026-06-15.{owner.pk}@hub.example.org>"
    assert stop in text


def test_no_text_of_the_library_or_a_name_makes_a_header(
    mailoutbox: list[EmailMessage],
) -> None:
    wicked = person("eve", first_name="Eve\r\nBcc: all@example.org")
    due("Title\r\nBcc: x@example.org\r\n\r\nBody", 1, owner=wicked)
    part = MailPart("T", (MailLine("x"),), 1, "1 new\r\nBcc: y@example.org")
    assert digests._subject([part]).count("\n") == 1
    weekly()
    raw = mailoutbox[0].message().as_bytes()
    sent = message_from_bytes(raw, policy=policy.default)
    assert sent["Bcc"] is None
    assert "Hello Eve Bcc: all@example.org," in mailoutbox[0].body


def test_an_address_with_a_break_fails_alone(mailoutbox: list[EmailMessage]) -> None:
    broken, well = person("broken"), person("well")
    User.objects.filter(pk=broken.pk).update(email="a@example.org\nBcc: b@example.org")
    for each in (broken, well):
        due("Late", -1, owner=each)
    with pytest.raises(digests.MailFailed, match="1 mail failed, 1 went out"):
        weekly()
    assert [each.to for each in mailoutbox] == [["well@example.org"]]


# --- Around it --------------------------------------------------------------------


def test_the_command_sends_as_on_a_day(
    owner: User, mailoutbox: list[EmailMessage], capsys: Any
) -> None:
    due("Late", -1, owner=owner)
    call_command("send_digests", "--date", "2026-06-17")
    assert "1 sent, 0 nothing to say" in capsys.readouterr().out
    assert DigestSent.objects.get().date == TODAY
    call_command("send_digests", "--date", "2026-06-17")
    assert len(mailoutbox) == 1
    with pytest.raises(CommandError):
        call_command("send_digests", "--date", "tomorrow")


def test_the_schedules_stand_in_the_database_and_name_tasks_that_exist() -> None:
    planned = {
        task.task: (task.crontab.day_of_week, task.crontab.hour, task.crontab.minute)
        for task in PeriodicTask.objects.filter(task__endswith="_digest")
    }
    assert planned == {
        "kb.weekly_digest": ("1", "8", "0"),
        "kb.daily_digest": ("0,2-6", "8", "0"),
    }
    assert set(planned) <= set(current_app.tasks)


def test_a_weekly_job_is_not_late_after_two_days(owner: User) -> None:
    weekly()
    assert jobs.problem(MONDAY + 8 * DAY) is None
    assert jobs.problem(MONDAY + 11 * DAY) == "weekly_digest last ran on 2026-06-15."
