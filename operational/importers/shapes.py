"""The documents people already have: runbooks, error pages, post-mortems.

Each is told by its headings and becomes a failure. What the shape has no field for
stays in the body, under its heading.
"""

from collections.abc import Sequence
from dataclasses import replace

from operational.drafts import FailureDraft
from operational.importers.sections import Section, code_lines, entries

_RUNBOOK = frozenset(("meaning", "impact", "diagnosis", "mitigation"))
_RUNBOOK_FIX = frozenset(("diagnosis", "mitigation"))
_MESSAGE = frozenset(("message", "messages", "error message", "error messages"))
_TYPE = frozenset(("type", "error type"))
_WRONG = frozenset(("what went wrong", "why this error occurred", "why", "cause"))
_FIX = frozenset(
    (
        "possible ways to fix",
        "possible ways to fix it",
        "possible solutions",
        "how to fix",
        "how to fix it",
        "fix",
        "verified fix",
        "solution",
        "resolution",
    )
)
_POSTMORTEM = frozenset(
    ("root cause", "root causes", "trigger", "resolution", "action items", "timeline")
)
_ACTIONS = frozenset(("action items", "prevention", "prevention steps"))


def failure(
    sections: Sequence[Section], given: FailureDraft, title: str
) -> tuple[FailureDraft, str]:
    """What the headings say, where front matter does not, and what stays as body."""
    names = {section.name for section in sections}
    if len(names & _RUNBOOK) >= 2:
        return _runbook(sections, given, title)
    if names & _WRONG or names & _MESSAGE or len(names & _POSTMORTEM) >= 2:
        return _page(sections, given)
    if names & _FIX:
        return _page(sections, given)
    return given, _kept(sections, frozenset())


def _runbook(
    sections: Sequence[Section], given: FailureDraft, title: str
) -> tuple[FailureDraft, str]:
    fixes = [s for s in sections if s.name in _RUNBOOK_FIX]
    details = replace(
        given,
        failure_type=given.failure_type or "alert",
        fix=given.fix or _joined(fixes),
        symptoms=given.symptoms or (title,),
    )
    return details, _kept(sections, _RUNBOOK_FIX)


def _page(sections: Sequence[Section], given: FailureDraft) -> tuple[FailureDraft, str]:
    by_name = {section.name: section for section in reversed(sections)}

    def first(names: frozenset[str]) -> str:
        return next((s.text for s in sections if s.name in names), "")

    messages = given.symptoms or code_lines(first(_MESSAGE))
    types = code_lines(first(_TYPE))
    fixes = [s for s in sections if s.name in _FIX]
    actions = [s for s in sections if s.name in _ACTIONS]
    taken = _MESSAGE | _TYPE | _FIX
    if actions and not given.prevention_steps:
        taken |= {actions[0].name} if entries(actions[0].text) else frozenset()
    details = replace(
        given,
        failure_type=given.failure_type or (types[0][:200] if types else ""),
        fix=given.fix or _joined(fixes),
        symptoms=messages,
        prevention_steps=given.prevention_steps
        or (entries(actions[0].text) if actions else ()),
    )
    return details, _kept([s for s in sections if s.name in by_name], taken)


def _joined(sections: Sequence[Section]) -> str:
    if len(sections) == 1:
        return sections[0].text
    return "\n\n".join(f"## {s.title}\n\n{s.text}".strip() for s in sections)


def _kept(sections: Sequence[Section], taken: frozenset[str]) -> str:
    """The document without the sections that went into fields."""
    parts: list[str] = []
    inside = 0  # the level of a section whose text holds what follows
    for section in sections:
        if inside and section.level > inside:
            continue
        inside = 0
        if section.name in taken and section.level:
            inside = section.level
        elif section.level <= 1:
            parts.append(_opening(section))
        else:
            inside = section.level
            parts.append(f"{'#' * section.level} {section.title}\n\n{section.text}")
    return "\n\n".join(part.strip() for part in parts if part.strip())


def _opening(section: Section) -> str:
    """What stands before the first heading inside it."""
    lines = section.text.split("\n")
    end = next((n for n, line in enumerate(lines) if line.startswith("##")), len(lines))
    return "\n".join(lines[:end])
