"""Links between items, as they stand in Markdown."""

import re
from uuid import UUID

from accounts.viewer import Viewer
from kb.domain.supersession import current_versions

_ID = "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
# A destination: in brackets, of a reference, in angle brackets or in an `href`; the
# hub's own address may stand before the path.
_LINK = re.compile(
    rf"""(\]\(\s*<?|\]:\s*<?|<|href=["'])((?:https?://[^\s/<>()"']+)?/items/)({_ID})"""
)


def linked_items(text: str) -> set[UUID]:
    """The items that a text links to."""
    return {UUID(match[3]) for match in _LINK.finditer(text)}


def follow_links(text: str, viewer: Viewer) -> str:
    """The text with links to replaced items leading to those now in use; to be shown,
    not to be saved."""
    current = current_versions(viewer, linked_items(text))
    if not current:
        return text

    def follow(match: re.Match[str]) -> str:
        found = current.get(UUID(match[3]))
        return f"{match[1]}{match[2]}{found.id if found else match[3]}"

    return _LINK.sub(follow, text)
