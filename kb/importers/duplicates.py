"""Near-duplicates of what is imported, by title: advice, never a block. The rule for
titles is the one of `kb.domain.likeness`; texts are compared by the nightly run."""

from collections.abc import Callable, Sequence
from uuid import UUID

from kb.domain.indexing import title_key
from kb.domain.likeness import equal_titles, similar_titles
from kb.importers.base import Draft

Rule = Callable[[Sequence[str]], dict[int, list[tuple[UUID, str]]]]


class Seen:
    """Titles and contents of one run, by the path of the first that had them."""

    def __init__(self) -> None:
        self.titles: dict[str, str] = {}
        self.contents: dict[int, str] = {}

    def notices(self, draft: Draft) -> list[str]:
        path = draft.source_path
        content = draft.values.get("content", "").strip()
        same = self.contents.setdefault(hash(content), path) if content else path
        if same != path:
            return [f"Same content as {same}."]
        same = self.titles.setdefault(title_key(draft.title), path)
        return [f"Same title as {same}."] if same != path else []


def alike(drafts: Sequence[Draft], *, thorough: bool) -> dict[str, str]:
    """Source path → notice, where an item in use has the same title; when `thorough`,
    also one much like it."""
    found = _notices(drafts, equal_titles, "Same title as the item {!r}.")
    if thorough:
        rest = [draft for draft in drafts if draft.source_path not in found]
        found |= _notices(rest, similar_titles, "Much like the item {!r}.")
    return found


def _notices(drafts: Sequence[Draft], rule: Rule, text: str) -> dict[str, str]:
    stored = rule([draft.title for draft in drafts])
    return {
        drafts[place].source_path: text.format(items[0][1])
        for place, items in stored.items()
    }
