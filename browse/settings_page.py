"""What the settings page shows."""

from collections.abc import Sequence
from dataclasses import dataclass

from accounts import tokens
from accounts.enums import Focus
from accounts.models import AccessToken, User
from browse.presets import followed, presets

_FOCUS = {
    Focus.BID_WRITING: "Questions to answer, evidence to cite, outcomes of past bids",
    Focus.ACCOUNT_MANAGEMENT: "Service facts, reports and answers for customers",
    Focus.MARKETING: "Case studies, quotes and what has changed lately",
}


@dataclass(frozen=True)
class Choice:
    value: str
    label: str
    hint: str
    chosen: bool


@dataclass(frozen=True)
class SettingsPage:
    """`secret` is that of a token made just now: it is shown this once."""

    focuses: Sequence[Choice]
    rows: bool
    tokens: Sequence[AccessToken]
    follows: Sequence[str]
    made: AccessToken | None = None
    secret: str = ""
    name: str = ""
    name_error: str = ""


def settings_page(user: User, *, rows: bool, **token: object) -> SettingsPage:
    viewer = user.viewer()
    following = followed(viewer)
    focuses = [
        Choice(each.value, each.label, hint, each == user.primary_focus)
        for each, hint in _FOCUS.items()
    ]
    focuses.append(
        Choice("", "No focus", "A little of everything", not user.primary_focus)
    )
    return SettingsPage(
        focuses=focuses,
        rows=rows,
        tokens=tokens.of(viewer),
        follows=[each.name for each in presets(viewer) if each.id in following],
        **token,  # type: ignore[arg-type]
    )
