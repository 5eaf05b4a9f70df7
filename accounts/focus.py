"""What somebody mostly works on."""

from accounts.enums import Focus
from accounts.models import User
from accounts.viewer import Viewer
from core.errors import BadInput


def choose(viewer: Viewer, focus: str) -> None:
    """Empty: nothing in particular."""
    if focus and focus not in Focus.values:
        raise BadInput.unknown("focus", focus, Focus.values)
    User.objects.filter(pk=viewer.person()).update(primary_focus=focus)
