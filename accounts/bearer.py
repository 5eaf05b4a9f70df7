"""Whose token an assistant carries: one made in settings, or one given by OAuth."""

from datetime import datetime

from accounts import oauth, tokens
from accounts.models import User


def user_of(secret: str, resource: str, now: datetime) -> User | None:
    """The active user of a live token that may be used at `resource`."""
    if secret.startswith(tokens.PREFIX):
        token = tokens.find(secret, now)
        return token.user if token else None
    return oauth.holder(secret, resource, now)
