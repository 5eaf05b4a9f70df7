"""How often someone gets mail, and the link that stops it without signing in."""

from django.core import signing
from django.urls import reverse

from accounts.enums import Digest
from accounts.models import User
from core.errors import BadInput, NotFound

# The links hold for as long as the mail is kept: only a new secret key ends them.
_LINKS = signing.Signer(salt="mail.unsubscribe")


def unsubscribe_path(user_id: int) -> str:
    token = _LINKS.sign_object(user_id)
    return reverse("accounts:unsubscribe", args=[token])


def user_of(token: str) -> User:
    """Whose link it is; it can do nothing else than stop the mails."""
    try:
        user_id = _LINKS.unsign_object(token)
    except signing.BadSignature:
        user_id = None
    user = User.objects.filter(pk=user_id).first() if user_id else None
    if user is None:
        raise NotFound("This link is cut or too old. Change your mail in settings.")
    return user


def choose(user_id: int, choice: str) -> None:
    """How often they get mail from now on."""
    if choice not in Digest.values:
        raise BadInput.unknown("digest", choice, Digest.values)
    User.objects.filter(pk=user_id).update(digest=choice)
