"""What a file says of its item, key by key: from texts to values, or `BadInput`."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

from django.db.models import Model

from core.errors import BadInput
from core.text import fold
from kb.enums import CadenceKind, ContentType, ReviewStatus
from kb.models import ContentItem, Domain

MAX_TITLE = 500
MAX_KEYWORDS = 50
MAX_KEYWORD = 120
_MAX_DAYS = 36_500
STATES = (ReviewStatus.DRAFT, ReviewStatus.IN_REVIEW, ReviewStatus.APPROVED)
_DATE_FORMATS = ("%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y", "%Y/%m/%d")
_ZONE = re.compile(r"\s+(?=[+-]\d\d:?\d\d$)")


@dataclass
class Stated:
    """The parts of a `Draft` that come from keys and values."""

    values: dict[str, Any] = field(default_factory=dict)
    once: dict[str, Any] = field(default_factory=dict)
    domain: str = ""
    owner: str = ""
    extra: dict[str, Any] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)


def parse(raw: Mapping[str, Any], now: datetime) -> Stated:
    """Read keys in lower case; a key without a value says nothing."""
    stated = Stated()
    done = set()
    for key, value in sorted(raw.items(), key=lambda entry: entry[0] in _ALIASES):
        name = re.sub(r"[\s-]+", "_", key)
        name = _ALIASES.get(name, name)
        if value in ("", [], {}):
            continue
        if name not in _PARSERS or name in done:
            stated.extra[key] = value
            continue
        done.add(name)
        _PARSERS[name](stated, key, value, now)
    return stated


def titled(title: str, content: str) -> tuple[str, str, list[str]]:
    """Title and content as stored: the whole of a title too long heads the content."""
    title = " ".join(title.split())
    if len(title) <= MAX_TITLE:
        return title, content, []
    notice = f"The title is cut at {MAX_TITLE} characters; its whole heads the content."
    return title[:MAX_TITLE].rstrip(), f"# {title}\n\n{content}".rstrip(), [notice]


def text_of(key: str, value: Any) -> str:
    """A text, or a list of texts joined by commas."""
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        value = ", ".join(filter(None, value))
    if not isinstance(value, str):
        raise BadInput(f"{key} must be a text.", field=key)
    return value.strip()


def _max_length(model: type[Model], column: str) -> int | None:
    limit = getattr(model._meta.get_field(column), "max_length", None)
    return limit if isinstance(limit, int) else None


def _limited(key: str, value: Any, limit: int | None) -> str:
    text = text_of(key, value)
    if limit and len(text) > limit:
        raise BadInput(f"{key} is longer than {limit} characters.", field=key)
    return text


def _text(column: str) -> "_Parser":
    limit = _max_length(ContentItem, column)

    def parse_text(stated: Stated, key: str, value: Any, now: datetime) -> None:
        text = _limited(key, value, limit)
        stated.values[column] = " ".join(text.split()) if limit else text

    return parse_text


def _title(stated: Stated, key: str, value: Any, now: datetime) -> None:
    stated.values["title"] = text_of(key, value)


def _content_type(stated: Stated, key: str, value: Any, now: datetime) -> None:
    stated.values["content_type"] = choice(key, text_of(key, value), ContentType)


def _state(stated: Stated, key: str, value: Any, now: datetime) -> None:
    state = choice(key, text_of(key, value), STATES)
    stated.once["governance_review_status"] = state


def _domain(stated: Stated, key: str, value: Any, now: datetime) -> None:
    limit = _max_length(Domain, "name")
    stated.domain = " ".join(_limited(key, value, limit).split())


def _owner(stated: Stated, key: str, value: Any, now: datetime) -> None:
    stated.owner = text_of(key, value)


def _keywords(stated: Stated, key: str, value: Any, now: datetime) -> None:
    given = (
        value if isinstance(value, list) else re.split(r"[,;\n]", text_of(key, value))
    )
    words = [" ".join(text_of(key, each).split()) for each in given]
    cut = [word[:MAX_KEYWORD].rstrip() for word in dict.fromkeys(words) if word]
    stated.values["ai_keywords"] = cut[:MAX_KEYWORDS]
    if len(cut) > MAX_KEYWORDS or any(len(word) > MAX_KEYWORD for word in words):
        stated.extra[key] = value
        stated.notices.append(
            f"{key}: only {MAX_KEYWORDS} of at most {MAX_KEYWORD} characters are used."
        )


def _updated(stated: Stated, key: str, value: Any, now: datetime) -> None:
    at = _moment(key, text_of(key, value))
    if at > now:
        raise BadInput(f"{key} lies in the future: {value}.", field=key)
    stated.values["content_changed_at"] = at


def _next_review(stated: Stated, key: str, value: Any, now: datetime) -> None:
    stated.once["next_review_date"] = _moment(key, text_of(key, value)).date()


def _cadence(stated: Stated, key: str, value: Any, now: datetime) -> None:
    text = fold(text_of(key, value))
    if text in (CadenceKind.INHERIT, CadenceKind.EVERGREEN):
        stated.once["cadence"] = CadenceKind(text)
        return
    if days := re.fullmatch(r"(\d{1,5})(?: days?)?", text):
        number = int(days[1])
        if not 1 <= number <= _MAX_DAYS:
            raise BadInput(f"{key} must be 1 to {_MAX_DAYS} days.", field=key)
        stated.once |= {"cadence": CadenceKind.PERIOD, "review_cadence_days": number}
        return
    try:
        on = date.fromisoformat(text)
    except ValueError:
        raise BadInput(
            f"{key} must be inherit, evergreen, a number of days or a date such as "
            f"2026-03-31, not {text[:80]!r}.",
            field=key,
        ) from None
    stated.once |= {"cadence": CadenceKind.FIXED, "next_review_date": on}


def choice(key: str, text: str, known: Iterable[Any]) -> Any:
    """The member of an enumeration that `text` names by value or label."""
    members = list(known)
    names = {fold(name): each for each in members for name in (each.value, each.label)}
    wanted = fold(text)
    found = names.get(wanted) or names.get(wanted.replace(" ", "_").replace("-", "_"))
    if found is None:
        raise BadInput.unknown(key, text, [each.value for each in members])
    return found


def _moment(key: str, text: str) -> datetime:
    try:
        return _parsed(text[:64]).astimezone(UTC)
    except (ValueError, OverflowError):
        raise BadInput(
            f"{key} must be a date such as 2026-03-31, not {text[:80]!r}.", field=key
        ) from None


def _parsed(text: str) -> datetime:
    try:
        at = datetime.fromisoformat(_ZONE.sub("", text))
    except ValueError:
        for form in _DATE_FORMATS:
            try:
                return datetime.strptime(text, form).replace(tzinfo=UTC)
            except ValueError:
                continue
        raise
    return at if at.tzinfo else at.replace(tzinfo=UTC)


_Parser = Callable[[Stated, str, Any, datetime], None]

_PARSERS: dict[str, _Parser] = {
    "title": _title,
    "content_type": _content_type,
    "domain": _domain,
    "subtopic": _text("subtopic"),
    "layer": _text("layer"),
    "platform": _text("platform"),
    "source": _text("source"),
    "author": _text("author_name"),
    "tags": _keywords,
    "summary": _text("summary"),
    "suggested_title": _text("suggested_title"),
    "cadence": _cadence,
    "next_review": _next_review,
    "owner": _owner,
    "state": _state,
    "updated": _updated,
}
_ALIASES = {"type": "content_type", "keywords": "tags", "date": "updated"}
