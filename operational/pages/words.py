"""What numbers and enums are called on pages."""

from datetime import date

from operational.enums import EntityType, FixState, Severity
from operational.pipeline.rank import CERTAIN, FLOOR, Reason
from operational.types import Match

LIKELY = 60

PLURALS = {
    EntityType.FAILURE: "Failures",
    EntityType.PATTERN: "Patterns",
    EntityType.LESSON: "Lessons",
    EntityType.PATHWAY: "Pathways",
    EntityType.PLAYBOOK: "Playbooks",
    EntityType.CASE_STUDY: "Case studies",
    EntityType.SYSTEM: "Systems",
}
ICONS = {each.value: each.value for each in EntityType} | {"case-study": "case"}
SEVERITY = {
    Severity.LOW: ("", "down"),
    Severity.MEDIUM: ("info", "info"),
    Severity.HIGH: ("bad", "up"),
    Severity.CRITICAL: ("bad", "warn"),
}
FIX = {
    FixState.SUGGESTED: ("Suggested fix", "draft", "nobody has said yet that it works"),
    FixState.TRIED: ("Tried fix", "play", "tried, not verified by an editor yet"),
    FixState.VERIFIED: ("Verified fix", "ok", ""),
    FixState.STALE: ("Stale fix", "warn", "not confirmed lately: check before use"),
}
_REASONS = {
    Reason.SLUG: "You named it.",
    Reason.TAGS: "Its tags hold your words.",
    Reason.KEYWORD: "Its title holds your words.",
    Reason.PATTERN: "It describes this kind of behaviour.",
}


def sure(confidence: int) -> str:
    """Below the floor nothing is shown, so there is no word for it."""
    if confidence >= CERTAIN:
        return "we are sure"
    return "likely" if confidence >= LIKELY else "possible"


def because(match: Match) -> str:
    """Why it matched, in a sentence of its own; `match.message` stands beside it."""
    if match.match_reason != Reason.SYMPTOM:
        return _REASONS[Reason(match.match_reason)]
    if not match.message:
        return "Its record holds words of your text."
    if match.confidence >= CERTAIN:
        return "A recorded message stands in your text, word for word."
    if match.confidence >= LIKELY:
        return "A recorded message stands in your text in part."
    return "Your text shares telling words with a recorded message."


_POINTS = {
    Reason.SLUG: "The exact name of an entity counts 100.",
    Reason.TAGS: "Tags count 80 times the share of your words that they hold.",
    Reason.KEYWORD: "A telling part of a title counts 60.",
    Reason.PATTERN: "The keywords of a pattern count 70, its failures one less.",
}


def why(match: Match) -> str:
    """How a confidence comes about, in a sentence."""
    if match.match_reason != Reason.SYMPTOM:
        return _POINTS[Reason(match.match_reason)]
    if match.confidence >= CERTAIN:
        return (
            f"A recorded message that is there whole counts {CERTAIN} to 100: more, "
            "the longer and rarer it is and the more of its line it explains."
        )
    if match.confidence >= LIKELY:
        return "A recorded message that is there in part counts 60 to 80."
    return "Telling words without a whole message count 40 to 60."


def scale() -> str:
    return (
        f"Below {FLOOR} nothing is shown, from {FLOOR} possible, from {LIKELY} likely, "
        f"from {CERTAIN} sure."
    )


def times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def failures(count: int) -> str:
    return f"{count} failure{'' if count == 1 else 's'}"


def happened(count: int, last: date | None) -> str:
    said = f"happened {times(count)}"
    return f"{said}, last on {last:%-d %B %Y}" if last else said


def worked(good: int, bad: int) -> str:
    """With its n, or nothing where nobody has said."""
    told = good + bad
    return f"worked {good} of {times(told)}" if told > 1 else _one(good, bad)


def _one(good: int, bad: int) -> str:
    if good + bad == 0:
        return ""
    return "worked once" if good else "did not work, once"
