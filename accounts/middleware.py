from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.functional import SimpleLazyObject

from accounts.models import User
from accounts.viewer import Viewer


def viewer_of(request: HttpRequest) -> Viewer | None:
    """The signed-in caller, or None."""
    user = request.user
    return user.viewer() if isinstance(user, User) and user.is_active else None


class ViewerMiddleware:
    """Sets `request.viewer`, lazily: pages that need nobody touch no session."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.viewer = SimpleLazyObject(lambda: viewer_of(request))  # type: ignore[attr-defined]
        return self.get_response(request)
