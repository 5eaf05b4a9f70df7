"""What stands above the library while nothing is asked of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from accounts.viewer import Viewer
from browse.models import FocusAsked
from browse.panel import chips
from browse.popular import top_domains
from browse.prompts import FilterPrompt, Prompt, SearchPrompt, prompts_for
from browse.state import BrowseState
from kb.facets import Facets
from kb.filters import ItemFilters


@dataclass(frozen=True)
class DomainChip:
    name: str
    count: int
    url: str


@dataclass(frozen=True)
class PromptCard:
    """`shows` is what it will do: the words or the filters. Without a `url` it is a
    row of domains."""

    title: str
    hint: str = ""
    url: str = ""
    icon: str = ""
    shows: str = ""
    domains: Sequence[DomainChip] = ()


@dataclass(frozen=True)
class ColdStart:
    """`asks_focus`: whether to ask, once, what somebody mostly does."""

    cards: Sequence[PromptCard]
    asks_focus: bool


def cold_start(
    state: BrowseState, viewer: Viewer, focus: str, facets: Facets, library: int
) -> ColdStart | None:
    """None where something is asked, or nothing is there."""
    if state.searching or state.filters or state.cursor or not library:
        return None
    in_use = {each.value for each in facets["domain"]}
    prompts = prompts_for(viewer.role, focus)
    return ColdStart(
        [_card(each, state, viewer, in_use) for each in prompts],
        asks_focus=not focus and _never_asked(viewer),
    )


def _never_asked(viewer: Viewer) -> bool:
    if not viewer.can_edit:
        return False
    return not FocusAsked.objects.filter(user=viewer.user_id).exists()


def _card(
    prompt: Prompt, state: BrowseState, viewer: Viewer, in_use: set[str]
) -> PromptCard:
    if isinstance(prompt, SearchPrompt):
        url = state.url(q=prompt.query)
        return PromptCard(prompt.title, prompt.hint, url, "search", prompt.query)
    if isinstance(prompt, FilterPrompt):
        chosen = state.but(filters=prompt.filters)
        shows = ", ".join(f"{chip.name}: {chip.label}" for chip in chips(chosen))
        return PromptCard(prompt.title, prompt.hint, chosen.url(), "filter", shows)
    domains = [
        DomainChip(name, count, state.url(filters=ItemFilters(domain=(name,))))
        for name, count in top_domains(viewer)
        if name in in_use  # what is kept for a day may be gone by now
    ]
    return PromptCard(prompt.title, domains=domains)
