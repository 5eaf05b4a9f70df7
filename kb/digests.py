"""The digests: one mail a person and week, and for those who want it one on the day.

Each mail and the row that says it went out are one transaction: a run that died
half-way goes on where it stopped, and another one finds nothing to send.
"""

import logging
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta

from django.core.mail import get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction

from accounts.enums import Digest
from accounts.mail import unsubscribe_path
from accounts.models import User
from core import mail
from core.errors import Unavailable
from core.registry import MailPart, MailTime, mail_sections
from kb.domain import jobs
from kb.enums import DigestKind
from kb.models import DigestSent

log = logging.getLogger("hub.mail")

_BATCH = 200
# So many failures one after the other are the mail server's, not an address's.
_GIVE_UP = 5
_WANTED = {
    DigestKind.WEEKLY: (Digest.WEEKLY, Digest.DAILY),
    DigestKind.DAILY: (Digest.DAILY,),
}


COUNTS = ("sent", "nothing_to_say", "no_address", "sent_before")


class MailFailed(Unavailable):
    code = "MAIL_FAILED"


def send(kind: DigestKind, now: datetime, *, again: bool = False) -> jobs.Run:
    """Send all digests of this kind that are due and have not gone out. `again` looks
    at those who had nothing before."""
    on = _day_of(kind, now)

    def work() -> dict[str, int]:
        return _send_all(kind, on, now)

    return jobs.run_once(jobs.DIGESTS[kind], on, work, now=now, again=again)


def _day_of(kind: DigestKind, now: datetime) -> date:
    """A weekly one belongs to the Monday of its week, also when it is late."""
    today = now.astimezone(UTC).date()
    weekly = kind == DigestKind.WEEKLY
    return today - timedelta(days=today.weekday()) if weekly else today


def _send_all(kind: DigestKind, on: date, now: datetime) -> dict[str, int]:
    when = _time(kind, on, now)
    with get_connection() as connection:
        run = _Sending(kind, on, now, connection)
        for batch in _people(kind):
            parts = _parts([user.pk for user in batch], when)
            for user in batch:
                run.tell(user, parts.get(user.pk, []))
    if run.failed:
        mails = "mail" if run.failed == 1 else "mails"
        sent = run.counts["sent"]
        raise MailFailed(f"{run.failed} {mails} failed, {sent} went out.")
    return run.counts


@dataclass
class _Sending:
    """One run, and what became of its mails."""

    kind: DigestKind
    on: date
    now: datetime
    connection: BaseEmailBackend
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTS, 0))
    failed: int = 0
    _in_a_row: int = 0

    def tell(self, user: User, parts: list[MailPart]) -> None:
        try:
            self.counts[self._outcome(user, parts)] += 1
            self._in_a_row = 0
        except Exception as error:
            self.failed, self._in_a_row = self.failed + 1, self._in_a_row + 1
            told = {"user": user.pk, "error": type(error).__name__}
            log.warning("digest not sent", extra=told)
            if self._in_a_row == _GIVE_UP:
                raise MailFailed("The mail server does not take mail.") from error

    def _outcome(self, user: User, parts: list[MailPart]) -> str:
        if not parts:
            return "nothing_to_say"
        if not user.email:
            return "no_address"
        return "sent" if self._send(user, parts) else "sent_before"

    def _send(self, user: User, parts: list[MailPart]) -> bool:
        """Whether it was sent now. Another process that sends the same waits here."""
        subject = mail.one_line(_subject(parts))
        with transaction.atomic():
            _, new = DigestSent.objects.get_or_create(
                user=user,
                kind=self.kind,
                date=self.on,
                defaults={"sent_at": self.now, "subject": subject},
            )
            if not new:
                return False
            stop = mail.absolute(unsubscribe_path(user.pk))
            name = f"{self.kind.value}.{self.on}.{user.pk}"
            mail.send(
                user.email,
                subject,
                "digest",
                _context(user, parts, self.kind, stop),
                headers={
                    "Message-ID": mail.message_id(name),
                    "List-Unsubscribe": f"<{stop}>",
                    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
                },
                connection=self.connection,
            )
        return True


def _time(kind: DigestKind, on: date, now: datetime) -> MailTime:
    until = datetime.combine(on, time(), UTC)
    weekly = kind == DigestKind.WEEKLY
    since = until - timedelta(days=7 if weekly else 1)
    return MailTime(now.astimezone(UTC).date(), since, until, daily=not weekly)


def _people(kind: DigestKind) -> Iterator[list[User]]:
    """Batch by batch, in order of id, so that memory stays bounded."""
    wanted = User.objects.filter(is_active=True, digest__in=_WANTED[kind])
    last = 0
    while batch := list(wanted.filter(pk__gt=last).order_by("pk")[:_BATCH]):
        last = batch[-1].pk
        yield batch


def _parts(people: Sequence[int], when: MailTime) -> dict[int, list[MailPart]]:
    told: dict[int, list[MailPart]] = defaultdict(list)
    for section in mail_sections(daily=when.daily):
        for person, part in section.collect(people, when).items():
            if part.total:
                told[person].append(part)
    return told


def _subject(parts: Sequence[MailPart]) -> str:
    """ "Knowledge Hub: 3 overdue, 5 due soon": numbers alone, no titles."""
    return f"Knowledge Hub: {', '.join(part.short for part in parts if part.short)}"


def _context(
    user: User, parts: Sequence[MailPart], kind: DigestKind, stop: str
) -> dict[str, object]:
    sections = [
        {
            "title": mail.one_line(part.title),
            "lines": [
                {
                    "text": mail.one_line(line.text),
                    "note": mail.one_line(line.note),
                    "url": mail.absolute(line.path) if line.path else "",
                }
                for line in part.lines
            ],
            "more": part.total - len(part.lines),
            "url": mail.absolute(part.path) if part.path else "",
        }
        for part in parts
    ]
    return {
        "name": mail.one_line(user.display_name()),
        "sections": sections,
        "weekly": kind == DigestKind.WEEKLY,
        "settings_url": mail.absolute("/settings/mail"),
        "stop_url": stop,
    }
