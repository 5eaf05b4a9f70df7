"""What can go wrong, said so that a person or a program can act on it.

Services raise these; edges translate them (`core.api` to JSON, views to a page,
commands to one line on stderr).
"""

from collections.abc import Iterable
from difflib import get_close_matches


class HubError(Exception):
    """A failure with a stable `code`, an HTTP `status` and a sentence for people."""

    code = "ERROR"
    status = 500

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.field = field


class BadInput(HubError):
    """Something asked for cannot be understood; `field` names what."""

    code = "BAD_INPUT"
    status = 400

    @classmethod
    def unknown(cls, field: str, value: str, known: Iterable[str]) -> "BadInput":
        """An unknown value, with the close matches named."""
        close = get_close_matches(value.casefold(), list(known), n=3, cutoff=0.5)
        hint = f" Did you mean {' or '.join(close)}?" if close else ""
        return cls(f"Unknown {field}: {value[:80]!r}.{hint}", field=field)


class NotAllowed(HubError):
    code = "FORBIDDEN"
    status = 403


class NotFound(HubError):
    code = "NOT_FOUND"
    status = 404


class Conflict(HubError):
    """The thing changed since it was read; nothing was written."""

    code = "CONFLICT"
    status = 409


class RateLimited(HubError):
    code = "RATE_LIMITED"
    status = 429

    def __init__(self, message: str, *, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Unavailable(HubError):
    """Something the hub depends on cannot answer now; trying later may work."""

    code = "UNAVAILABLE"
    status = 503
