"""The budget that page, API and assistants share, per user or address."""

from django.conf import settings

from core.ratelimit import Limit, spend


def spend_search(key: str) -> None:
    spend(Limit("operational", settings.OPERATIONAL_PER_MINUTE), key)
