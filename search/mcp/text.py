"""Answers as Markdown that a model can work with when it sees nothing else."""

from collections.abc import Sequence
from dataclasses import dataclass

from accounts.assistants import Schema
from kb.enums import ContentType, ReviewStatus

MAX_CHARACTERS = 10_000
# A section longer than this is cut here; `get_item` has it whole.
_MAX_EXCERPT = 3_000
_ROOM_FOR_NOTE = 200


@dataclass(frozen=True)
class Found:
    """What was asked, and how much there is beyond what is shown."""

    what: str
    asked: str
    offset: int
    total: int
    total_is_exact: bool
    weak: bool = False


def of_hits(hits: Sequence[Schema], found: Found) -> str:
    """At most MAX_CHARACTERS, cut between results, and saying how to get the rest."""
    if not hits:
        return _nothing(found)
    parts = [_opening(len(hits), found)]
    left = MAX_CHARACTERS - len(parts[0]) - _ROOM_FOR_NOTE
    shown = 0
    for number, hit in enumerate(hits, start=found.offset + 1):
        block = _hit(hit, number)
        if len(block) + 2 > left:
            break
        parts.append(block)
        left -= len(block) + 2
        shown += 1
    after = found.offset + shown
    if shown < len(hits):
        parts.append(
            f"Cut after {shown} of {len(hits)} results at {MAX_CHARACTERS:,} "
            f"characters. For the rest call find with offset {after}."
        )
    elif after < found.total:
        parts.append(f"There are more: call find with offset {after}.")
    return "\n\n".join(parts)


def facts(item: Schema) -> str:
    """What it is and whether to trust it, in one line each."""
    place = " › ".join(filter(None, (item["primary_domain"], item["subtopic"])))
    kind = [ContentType(item["content_type"]).label, place, item["layer"]]
    kind += [f"changed {item['content_changed_at'][:10]}", f"id {item['id']}"]
    return f"- {' · '.join(filter(None, kind))}\n- {_trust(item)}"


def _trust(item: Schema) -> str:
    by = f" by {item['verified_by']}" if item["verified_by"] else ""
    told = [
        ReviewStatus(item["review_status"]).label,
        f"verified {item['verified_at'][:10]}{by}"
        if item["verified_at"]
        else "not verified",
        f"next review {item['next_review_date']}"
        if item["next_review_date"]
        else "no review planned",
        f"quality {item['quality_score']} of 100",
    ]
    if item["superseded_by"]:
        told.append(f"REPLACED by item {item['superseded_by']}: use that one")
    return " · ".join(told)


def link(item: Schema) -> str:
    title = item["title"].replace("[", "\\[").replace("]", "\\]").replace("\n", " ")
    return f"[{title}]({item['url']})"


def quoted(text: str) -> str:
    if len(text) > _MAX_EXCERPT:
        text = f"{text[:_MAX_EXCERPT].rpartition(' ')[0]} … (get_item has the rest)"
    return "\n".join(f"> {line}".rstrip() for line in text.strip().splitlines())


def _hit(hit: Schema, number: int) -> str:
    lines = [f"### {number}. {link(hit)}", facts(hit), f"- Why here: {hit['reason']}"]
    if hit["heading"]:
        lines.append(f"- Section: {hit['heading']}")
    if hit["text"]:
        lines += ["", quoted(hit["text"])]
    return "\n".join(lines)


def _opening(count: int, found: Found) -> str:
    whole = f"{found.total}" if found.total_is_exact else f"more than {found.total - 1}"
    span = f"{found.offset + 1} to {found.offset + count} of {whole}"
    opening = f"Results {span} {found.what}{_for(found)}."
    if found.weak:
        opening += " Weak matches only: perhaps the library has no answer to this."
    return opening


def _nothing(found: Found) -> str:
    if found.offset:
        return f"No more results{_for(found)}: there are none from {found.offset} on."
    return (
        f"Nothing found{_for(found)}. This is an answer, not a failure: try other "
        "words, or fewer filters."
    )


def _for(found: Found) -> str:
    asked = found.asked if len(found.asked) <= 200 else f"{found.asked[:200]}…"
    return f" for “{asked}”" if asked else ""
