"""Sign-in, slowed down after failures: per name, and per address for many names."""

from typing import Any

from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from core.errors import RateLimited
from core.ratelimit import Limit, exhausted, spend
from core.text import fold


class SignInForm(AuthenticationForm):
    """Django's form behind a count of failures. A locked name is refused before the
    password is looked at, so guessing on costs an attacker time and tells nothing."""

    def clean(self) -> dict[str, Any]:
        budgets = _budgets(self.request, str(self.cleaned_data.get("username", "")))
        for limit, key in budgets:
            wait = exhausted(limit, key)
            if wait is not None:
                raise ValidationError(
                    "Too many failed attempts. Try again in %(wait)s seconds.",
                    code="locked",
                    params={"wait": wait},
                )
        try:
            return super().clean()
        except ValidationError:
            _count_failure(budgets)
            raise


def _count_failure(budgets: list[tuple[Limit, str]]) -> None:
    for limit, key in budgets:
        try:
            spend(limit, key)
        except RateLimited:
            continue


def _budgets(request: HttpRequest | None, username: str) -> list[tuple[Limit, str]]:
    address = request.META.get("REMOTE_ADDR", "") if request else ""
    return [
        (Limit("sign-in-name", settings.SIGN_IN_FAILURES_PER_NAME), fold(username)),
        (Limit("sign-in-address", settings.SIGN_IN_FAILURES_PER_ADDRESS), address),
    ]
