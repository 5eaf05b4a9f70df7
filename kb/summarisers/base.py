"""The seam to what writes summaries: a chat model, or extraction from the text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from core.errors import Unavailable

MAX_SUMMARY = 600
MAX_TITLE = 120
MAX_KEYWORDS = 8
MAX_KEYWORD = 60
MAX_POINTS = 6
MAX_POINT = 200


class SummariesUnavailable(Unavailable):
    """The model cannot answer now; trying later may work."""

    code = "SUMMARIES_UNAVAILABLE"

    def __init__(self, detail: str) -> None:
        super().__init__("Summaries cannot be written now. Try again later.")
        self.detail = detail


class NotSummarised(Exception):
    """This one text cannot be summarised; the others may."""


@dataclass(frozen=True)
class Source:
    title: str
    content: str


@dataclass(frozen=True)
class Summary:
    """Parts may be empty: nothing good was found."""

    summary: str
    title: str = ""
    keywords: Sequence[str] = ()
    points: Sequence[str] = ()


class Summariser(Protocol):
    @property
    def method(self) -> str:
        """As people read it: "extraction", or the model's name."""

    def summarise(self, source: Source) -> Summary:
        """Raises `NotSummarised` or `SummariesUnavailable`."""
