"""Mails of the hub: plain text and HTML from one context, links that work outside."""

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core import checks
from django.core.mail import EmailMultiAlternatives
from django.core.mail.backends.base import BaseEmailBackend
from django.template.loader import render_to_string

_FALLBACK = "http://localhost:8000"
_BREAKS = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]+")
_MAX_SUBJECT = 180


def absolute(path: str) -> str:
    """A path of the hub as people outside of it reach it."""
    base: str = settings.PUBLIC_URL.rstrip("/") or _FALLBACK
    return f"{base}/{path.lstrip('/')}"


def one_line(text: str) -> str:
    """What may stand in a header: no break can begin another one."""
    return " ".join(_BREAKS.sub(" ", text).split())[:_MAX_SUBJECT]


def send(
    to: str,
    subject: str,
    template: str,
    context: Mapping[str, Any],
    *,
    headers: Mapping[str, str] | None = None,
    connection: BaseEmailBackend | None = None,
) -> None:
    """Send `mail/<template>.txt` with `mail/<template>.html` beside it."""
    message = EmailMultiAlternatives(
        subject=one_line(subject),
        body=render_to_string(f"mail/{template}.txt", dict(context)),
        to=[to],
        headers={"Auto-Submitted": "auto-generated", **(headers or {})},
        connection=connection,
    )
    html = render_to_string(f"mail/{template}.html", dict(context))
    message.attach_alternative(html, "text/html")
    message.send()


def message_id(name: str) -> str:
    """The same for the same mail, so that one sent twice over a crash is shown once."""
    host = urlsplit(settings.PUBLIC_URL).hostname or "localhost"
    return f"<{name}@{host}>"


def check_mail(**kwargs: Any) -> Sequence[checks.CheckMessage]:
    """Registered by `core.apps`."""
    if settings.PUBLIC_URL or not settings.EMAIL_BACKEND.endswith("smtp.EmailBackend"):
        return []
    return [
        checks.Warning(
            "Mails are sent, but PUBLIC_URL is not set.",
            hint=f"Links in mails lead to {_FALLBACK}.",
            id="core.W001",
        )
    ]
