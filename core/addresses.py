"""By which address people reach the hub, behind whatever proxy."""

from django.conf import settings
from django.http import HttpRequest


def base_of(request: HttpRequest) -> str:
    """`https://hub.example.org`: PUBLIC_URL, else what the request was sent to.
    Raises `DisallowedHost` for a name that is not the hub's."""
    host = request.get_host()
    public: str = settings.PUBLIC_URL.rstrip("/")
    return public or f"{request.scheme}://{host}"


def mcp_of(request: HttpRequest) -> str:
    """The address of the hub for assistants, which their tokens name as audience."""
    return f"{base_of(request)}/mcp"
