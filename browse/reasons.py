"""Why a hit ranks where it does, in words for people."""

from dataclasses import dataclass

from search.types import Hit

# A grade under this much is not worth naming as the way a hit was found.
_NOTABLE = 0.05


@dataclass(frozen=True)
class Reason:
    """`value` is what a part adds to the score, `share` its width in the bar."""

    label: str
    value: float
    detail: str

    @property
    def share(self) -> float:
        return 100 * self.value


def reasons(hit: Hit) -> tuple[Reason, ...]:
    parts, weights = hit.parts, hit.parts.weights
    graded = (
        ("Title and keywords", parts.title, weights.title),
        ("Summary and text", parts.body, weights.body),
        ("Author’s name", parts.author, weights.author),
    )
    changed = "yes" if parts.recency else "no"
    return (
        Reason(
            "Meaning",
            parts.cosine * weights.cosine,
            f"{parts.cosine:.2f} alike, counts {_percent(weights.cosine)}"
            if weights.cosine
            else "not compared: words only",
        ),
        *(
            Reason(label, grade * weight, _graded(grade, weight))
            for label, grade, weight in graded
        ),
        Reason("Changed in the last 30 days", parts.recency * weights.recency, changed),
    )


def summary_of(hit: Hit) -> str:
    """In which ways it was found; a pinned hit says why it stands first."""
    if hit.pinned:
        return f"{hit.pinned}: it stands before all that is ordered by score."
    meaning = hit.parts.weights.cosine > 0
    words = max(hit.parts.title, hit.parts.body) >= _NOTABLE
    if meaning and words:
        return "Found by meaning and by your words."
    return "Found by meaning." if meaning else "Found by your words."


def score_note(hit: Hit) -> str:
    factor = hit.parts.win_factor
    if factor == 1:
        return ""
    return f"{hit.score / factor:.3f} × {factor:.3f} for its win rate"


def _graded(grade: float, weight: float) -> str:
    if not grade:
        return "no match"
    return f"{grade:.2f} of the best match, counts {_percent(weight)}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
