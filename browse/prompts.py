"""Good places to start: the cards of a library nobody has asked anything yet."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

from accounts.enums import Focus, Role
from kb.filters import ItemFilters

PER_FOCUS, IN_FALLBACK = 3, 4


class CardFilters(TypedDict, total=False):
    """What a card may filter by."""

    domain: str
    content_type: str
    include_qa: str
    source: str
    date_from: str
    freshness: str
    layer: str


@dataclass(frozen=True)
class SearchPrompt:
    """Runs an example query."""

    title: str
    hint: str
    query: str

    def __post_init__(self) -> None:
        if not self.query.strip():
            raise ValueError(f"{self.title}: a card that searches needs words.")


@dataclass(frozen=True)
class FilterPrompt:
    """Applies filters. A wrong one fails where it is written, at start."""

    title: str
    hint: str
    params: CardFilters

    def __post_init__(self) -> None:
        if foreign := set(self.params) - set(CardFilters.__annotations__):
            raise ValueError(f"{self.title}: no filter of cards: {min(foreign)}.")
        if not self.filters:
            raise ValueError(f"{self.title}: a card that filters needs a filter.")

    @property
    def filters(self) -> ItemFilters:
        return ItemFilters.from_params(self.params)


@dataclass(frozen=True)
class DomainsPrompt:
    """Names the largest domains, and leads to the others."""

    title: str


Prompt = SearchPrompt | FilterPrompt | DomainsPrompt
KINDS = (SearchPrompt, FilterPrompt, DomainsPrompt)

_MOST = DomainsPrompt("See what we write about most")

BY_FOCUS: Mapping[Focus, Sequence[Prompt]] = {
    Focus.BID_WRITING: (
        SearchPrompt(
            "Answer a question you were asked",
            "Paste it as the buyer wrote it. Whole sentences work best.",
            "how do you test backups",
        ),
        FilterPrompt(
            "Take a fresh case study",
            "Stories changed or reviewed in the last 90 days, ready to cite.",
            {"content_type": "case_study", "freshness": "fresh"},
        ),
        _MOST,
    ),
    Focus.ACCOUNT_MANAGEMENT: (
        SearchPrompt(
            "Prepare for a service review",
            "Ask what your customer will ask you.",
            "what does the monthly service report show",
        ),
        FilterPrompt(
            "Look up what a product includes",
            "Product pages, without the questions and answers around them.",
            {"content_type": "product", "include_qa": "false"},
        ),
        _MOST,
    ),
    Focus.MARKETING: (
        SearchPrompt(
            "Find proof for a claim",
            "Say it as you would print it.",
            "results we achieved for customers",
        ),
        FilterPrompt(
            "See what is fresh",
            "All but questions and answers, changed or reviewed in the last 90 days.",
            {"freshness": "fresh", "include_qa": "false"},
        ),
        _MOST,
    ),
}
FALLBACK: Sequence[Prompt] = (
    SearchPrompt(
        "Ask in your own words",
        "Search also finds what says the same thing in other words.",
        "how do we keep customer data safe",
    ),
    FilterPrompt(
        "Read questions already answered",
        "Each with its answer, and who stands for it.",
        {"content_type": "qa_pair"},
    ),
    FilterPrompt(
        "Look up a policy",
        "What we hold ourselves to, and who answers for it.",
        {"content_type": "policy"},
    ),
    _MOST,
)


def prompts_for(role: Role, focus: str) -> Sequence[Prompt]:
    """Those of a focus; viewers, and people without one, get the fallback."""
    if role == Role.VIEWER or focus not in Focus.values:
        return FALLBACK
    return BY_FOCUS[Focus(focus)]


def faults(
    by_focus: Mapping[Focus, Sequence[object]], fallback: Sequence[object]
) -> list[str]:
    """What is wrong with the definitions as a whole."""
    found = [
        f"The focus {focus.label!r} has {len(by_focus.get(focus, ()))} cards,"
        f" not {PER_FOCUS}."
        for focus in Focus
        if len(by_focus.get(focus, ())) != PER_FOCUS
    ]
    if len(fallback) != IN_FALLBACK:
        found.append(f"The fallback has {len(fallback)} cards, not {IN_FALLBACK}.")
    cards = [card for cards in (*by_focus.values(), fallback) for card in cards]
    return found + [
        f"{card!r} searches nothing, filters nothing, names nothing."
        for card in cards
        if not isinstance(card, KINDS)
    ]
