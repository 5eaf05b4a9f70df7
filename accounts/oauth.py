"""Programs that people let in by OAuth: whose token it is, and ending it again.

The protocol itself is django-oauth-toolkit's; its tokens are stored as hashes.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from oauth2_provider.models import (
    AccessToken,
    Application,
    Grant,
    RefreshToken,
    clear_expired,
)

from accounts.models import User
from core.errors import NotFound
from core.text import clean

# A registration that nobody has let in is forgotten after this.
UNUSED = timedelta(days=30)
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class Connection:
    """A program that may act as someone. `since` is the last time it got a token."""

    id: int
    name: str
    where: str
    since: datetime


def holder(secret: str, resource: str, now: datetime) -> User | None:
    """The active user of a live token that was given for `resource`."""
    token = (
        AccessToken.objects.select_related("user")
        .filter(
            token_checksum=hashlib.sha256(secret.encode("utf-8", "ignore")).hexdigest(),
            expires__gt=now,
            user__is_active=True,
        )
        .first()
    )
    if token is None or not token.allow_scopes([settings.OAUTH_SCOPE]):
        return None
    meant = any(same_resource(each, resource) for each in token.resource or ())
    user: User | None = token.user if meant else None
    return user


def same_resource(one: str, other: str) -> bool:
    """Alike but for the case of the name and a slash at the end."""
    return one.rstrip("/").casefold() == other.rstrip("/").casefold()


def bad_redirect(addresses: Iterable[str]) -> str | None:
    """The first address to which no code may be sent: plain HTTP that leaves the
    machine, or what is no address."""
    for address in addresses:
        try:
            parts = urlsplit(address)
        except ValueError:
            return address
        open_to_all = parts.scheme == "http" and parts.hostname not in _LOOPBACK
        if open_to_all or clean(address) != address:
            return address
    return None


def is_registered(client_id: str) -> bool:
    return bool(Application.objects.filter(client_id=client_id).exists())


def where(addresses: str) -> str:
    """Whose program it is, as far as can be told: where its codes are sent."""
    return ", ".join(dict.fromkeys(map(_where, addresses.split())))


def _where(address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https"):
        return f"the app that opens {parts.scheme}:"
    host = parts.hostname or ""
    return "a program on this computer" if host in _LOOPBACK else host


def connections(user: User, now: datetime) -> list[Connection]:
    """The programs that may act as `user`, by name."""
    since: dict[int, datetime] = {}
    for live in (
        AccessToken.objects.filter(user=user, expires__gt=now),
        RefreshToken.objects.filter(user=user, revoked=None),
    ):
        last = live.order_by().values("application").annotate(last=Max("created"))
        for row in last:
            known = since.get(row["application"], row["last"])
            since[row["application"]] = max(known, row["last"])
    found = Application.objects.filter(pk__in=since).order_by("name", "pk")
    return [
        Connection(
            id=each.pk,
            name=each.name or each.client_id,
            where=where(each.redirect_uris),
            since=since[each.pk],
        )
        for each in found
    ]


def disconnect(user: User, application_id: int) -> str:
    """End what a program may do as `user`, at once; its name."""
    application = Application.objects.filter(pk=application_id).first()
    if application is None:
        raise NotFound("This program is not connected.")
    with transaction.atomic():
        for kind in (Grant, RefreshToken, AccessToken):
            kind.objects.filter(application=application, user=user).delete()
    return str(application.name or application.client_id)


def clear(now: datetime) -> None:
    """Forget tokens and codes that have expired, and programs nobody let in."""
    clear_expired()
    Application.objects.filter(
        registration_source__in=("dcr", "cimd"),
        created__lt=now - UNUSED,
        grant=None,
        refreshtoken=None,
    ).exclude(accesstoken__user__isnull=False).delete()
