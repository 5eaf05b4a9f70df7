"""Takes out of a text what is nobody else's: secrets, people, machines.

Rather too much than too little: what is stored of a paste serves to recognise a
failure, and values never do.
"""

import re

_RULES = [
    (
        re.compile(
            r"-----BEGIN [A-Z ]+-----.*?(?:-----END [A-Z ]+-----|\Z)", re.DOTALL
        ),
        "[key]",
    ),
    (
        re.compile(r"([a-z][a-z0-9+.-]*://)[^\s/@]+@", re.IGNORECASE),
        r"\1[credentials]@",
    ),
    (re.compile(r"\beyJ[\w-]+\.[\w-]+(?:\.[\w-]+)?"), "[token]"),
    (
        re.compile(r"\b(?:bearer|basic|token)\s+[\w.~+/=-]{6,}", re.IGNORECASE),
        "[token]",
    ),
    (
        re.compile(
            r"((?:pass(?:word|wd|phrase)?|pwd|secret|token|api[_-]?key|access[_-]?key"
            r"|auth(?:orization)?|credential|cookie|session|private[_-]?key|signature|dsn"
            r"|connection[_-]?string|_key|_url)\w*[\"']?\s*[:=]\s*)"
            r"(\"[^\"\n]*\"|'[^'\n]*'|[^\s,;&}\"']+)",
            re.IGNORECASE,
        ),
        r"\1[secret]",
    ),
    (
        re.compile(
            r"\b(?:AKIA|ASIA|ghp_|gho_|ghs_|github_pat_|glpat-|sk-|xox[abp]-)[\w-]{8,}"
        ),
        "[key]",
    ),
    (re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"), "[address]"),
    (re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b"), "[ip]"),
    (re.compile(r"(?i)\b(?:[0-9a-f]{1,4}:){4,7}[0-9a-f]{1,4}\b"), "[ip]"),
    (re.compile(r"(/(?:home|Users)/|[A-Za-z]:\\Users\\)[^/\\\s:'\"]+"), r"\1[user]"),
    (re.compile(r"\b(?:\d[ -]?){13,19}\b"), "[number]"),
    # Long mixtures of letters and digits are ids or secrets, never wording.
    (re.compile(r"\b(?=[\w+/=-]*\d)(?=[\w+/=-]*[A-Za-z])[\w+/=-]{20,}"), "[id]"),
]


def redacted(text: str) -> str:
    for rule, replacement in _RULES:
        text = rule.sub(replacement, text)
    return text
