"""Access tokens: made, shown once, found by hash, revoked."""

import hashlib
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

from accounts.models import AccessToken, User
from accounts.viewer import Viewer
from core.errors import BadInput, NotFound
from core.text import clean

PREFIX = "kh_"
MOST = 50
_TOUCH_EVERY = timedelta(minutes=5)
_NAME_MOST = 80


def create(user: User, name: str) -> tuple[AccessToken, str]:
    """The stored token and its secret, which exists nowhere else."""
    name = " ".join(clean(name).split())
    if not 0 < len(name) <= _NAME_MOST:
        raise BadInput(f"Give it a name of 1 to {_NAME_MOST} characters.", field="name")
    if AccessToken.objects.filter(user=user, revoked_at=None).count() >= MOST:
        raise BadInput(f"You have {MOST} tokens. Revoke one first.", field="name")
    secret = PREFIX + secrets.token_urlsafe(32)
    token = AccessToken.objects.create(
        user=user, name=name, hint=secret[:8], digest=_digest(secret)
    )
    return token, secret


def find(secret: str, now: datetime) -> AccessToken | None:
    """The live token of an active user, or None."""
    token = (
        AccessToken.objects.select_related("user")
        .filter(digest=_digest(secret), revoked_at=None, user__is_active=True)
        .first()
    )
    if token and (token.last_used_at or token.created_at) < now - _TOUCH_EVERY:
        AccessToken.objects.filter(pk=token.pk).update(last_used_at=now)
    return token


def of(viewer: Viewer) -> list[AccessToken]:
    """Those of the viewer that still work, newest first."""
    return list(AccessToken.objects.filter(user=viewer.user_id, revoked_at=None))


def revoke_own(viewer: Viewer, token_id: int, now: datetime) -> AccessToken:
    token = AccessToken.objects.filter(user=viewer.user_id, pk=token_id).first()
    if token is None:
        raise NotFound("You have no token of this id.")
    revoke(token, now)
    return token


def revoke(token: AccessToken, now: datetime) -> None:
    AccessToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now)


def revoke_all(ids: Sequence[int], now: datetime) -> int:
    """Revoke several, of anybody; those already revoked keep their date."""
    live = AccessToken.objects.filter(pk__in=ids, revoked_at=None)
    return live.update(revoked_at=now)


def _digest(secret: str) -> str:
    # 256 random bits need no slow hash.
    return hashlib.sha256(secret.encode("utf-8", "ignore")).hexdigest()
