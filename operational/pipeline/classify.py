"""What kind of question was asked: an entity by name, a class of behaviour, or a
symptom (something a program printed)."""

import re
from enum import StrEnum

from operational.pipeline.normalise import CODE, tokens
from operational.pipeline.query import Query
from operational.pipeline.steps.patterns import covered


class QueryType(StrEnum):
    ENTITY = "entity"
    PATTERN = "pattern"
    SYMPTOM = "symptom"


_SECTION = re.compile(
    r"^(?:lessons?|failures?|playbooks?|patterns?|pathways?|case stud(?:y|ies)"
    r"|systems?)\b[\s:]",
    re.IGNORECASE,
)
# Wording that programs print and people do not write.
_PRINTED = re.compile(
    r"\bis not (?:defined|a function|a constructor|iterable|assignable)\b"
    r"|\b(?:module|file|command) not found\b|\bcannot (?:read|resolve|find|access"
    r"|set|use|import|be|load|open|connect)\b|\bno such file\b"
    r"|\bunexpected (?:token|end|identifier|eof)\b|\bsegmentation fault\b"
    r"|\bstack overflow\b|\bunhandled\b"
    r"|\b\w+(?:Error|Exception|Warning)\b|\berror\s*(?:\[|:\s*\S|code)|\bexited with\b"
    r"|\bexit code\b|\bfailed to\b|\bcould not\b|\bunable to\b|\bwas not\b"
    r"|\binvalid\b.*\b(?:value|argument|option)\b|\btraceback\b|\bpanicked at\b"
    r"|\b(?:http\s*)?[45]\d\d\b|\be(?:conn|acces|noent|perm\b"
    r"|addr|pipe|timedout|exist\b|mfile|ai_again|inval\b|nospc|resolve\b)\w*"
    r"|\bfatal\b|\bcaused by\b",
    re.IGNORECASE,
)
# How people describe behaviour for which they have no message.
_BEHAVIOUR = re.compile(
    r"\bworks?\b.*\b(?:local|locally|dev|my machine|staging)\b|\bsometimes\b"
    r"|\brandom(?:ly)?\b"
    r"|\bintermittent(?:ly)?\b|\bflak(?:y|es|iness)\b|\bstopped working\b|\bno longer\b"
    r"|\b(?:fails?|broken?|breaks?|crash(?:es)?|undefined|missing)\b.*\b(?:prod|production"
    r"|deploy|deployment|ci|staging|upgrade|update|release|merge)\b"
    r"|\b(?:upgrade|update|bump|migration|deploy)\b.*\b(?:broke|breaks?|broken|fails?)\b"
    r"|\bpermission denied\b|\baccess denied\b|\bnot (?:resolving|responding|starting"
    r"|loading|updating|syncing|propagating)\b|\bslow(?:er|ly)?\b|\bhangs?\b|\bstuck\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"(?<!\w)(?:'[^'\n]+'|\"[^\"\n]+\"|`[^`\n]+`)")
_WHOLE = re.compile(r"""['"`“”‘’]+([^'"`“”‘’\n]+)['"`“”‘’]+[.?!…]*""")
_COVERED = 0.6  # of the words by one pattern's keywords


def classify(query: Query) -> QueryType:
    library, text = query.library, query.said
    if library.alive(
        library.by_slug.get(query.name) or library.by_slug.get(query.slug) or ()
    ):
        return QueryType.ENTITY
    if not query.is_short:
        return QueryType.SYMPTOM
    said = _spelled(text)
    if _SECTION.match(said):
        return QueryType.ENTITY
    if _is_behaviour(text, said) or _of_a_pattern(query):
        return QueryType.PATTERN
    if _printed(text) or _PRINTED.search(said) or _is_code(query):
        return QueryType.SYMPTOM
    return QueryType.ENTITY


def _is_behaviour(text: str, said: str) -> bool:
    return _BEHAVIOUR.search(said) is not None and not _printed(_bare(text))


def _spelled(text: str) -> str:
    """Without the marks between words, contractions written out."""
    plain = re.sub(r"[^\w\s'`\"\[\]]", " ", text)
    return " ".join(token.text for token in tokens(plain))


def _bare(text: str) -> str:
    """What stands in quotation marks as a whole is emphasised, not quoted from."""
    whole = _WHOLE.fullmatch(text.strip())
    return whole.group(1) if whole else text


def _printed(text: str) -> bool:
    """Shaped like output: quoted values, a code in brackets, a class of error."""
    return _PRINTED.search(text) is not None or _QUOTED.search(text) is not None


def _of_a_pattern(query: Query) -> bool:
    library = query.library
    if len(query.words) < 2 or _printed(_bare(query.said)):
        return False
    patterns = (library.records[place] for place in library.alive(library.patterns))
    return any(
        covered(query, each) >= _COVERED for each in patterns if each is not None
    )


def _is_code(query: Query) -> bool:
    """One very specific technical string, in whatever case it was typed."""
    found = tokens(query.said)
    if any("_" in t.text or "::" in t.text for t in found if t.kind == CODE):
        return True
    code = any(token.kind == CODE for token in found)
    return len(query.words) <= 2 and (code or bool(query.names))
