"""Takes out of a text what is nobody else's: secrets, people, machines.

Rather too much than too little: what is stored of a paste serves to recognise a
failure, and values never do.
"""

import re

_NAMES = (
    r"pass(?:word|wd|phrase)?|pwd|secret|token|api[_-]?key|access[_-]?key"
    r"|auth(?:orization)?|credential|cookie|session|private[_-]?key|signature|dsn"
    r"|connection[_-]?string|_key|_url"
)
_SCHEME = r"(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{0,20}://"
_RULES = [
    (
        re.compile(
            r"-----BEGIN [A-Z ]+-----.*?(?:-----END [A-Z ]+-----|\Z)", re.DOTALL
        ),
        "[key]",
    ),
    (
        re.compile(rf"({_SCHEME})[^\s/@]{{1,500}}@", re.IGNORECASE),
        r"\1[credentials]@",
    ),
    (re.compile(r"\beyJ[\w-]+\.[\w-]+(?:\.[\w-]+)?"), "[token]"),
    (
        re.compile(r"\b(?:bearer|basic|token)\s+[\w.~+/=-]{6,}", re.IGNORECASE),
        "[token]",
    ),
    (
        re.compile(
            rf"((?:{_NAMES})\w*[\"'\\]*\s*[:=]\s*)"
            r"(\\?\"[^\"\n]*\"|'[^'\n]*'|[^\s,;&}\"']+)",
            re.IGNORECASE,
        ),
        r"\1[secret]",
    ),
    (
        re.compile(
            r"(\b(?:password|passphrase|secret|token|key)\s+(?:is|was)\s+)\S{4,}",
            re.IGNORECASE,
        ),
        r"\1[secret]",
    ),
    (
        re.compile(rf"(\s--?(?:{_NAMES})[\w-]*[\s=]+)[^\s-]\S*", re.IGNORECASE),
        r"\1[secret]",
    ),
    # curl -u name:secret, mysql -psecret, … identified by 'secret'
    (
        re.compile(
            r"(\s(?:-u|--(?:proxy-)?user)[\s=]*[\"']?[^\s:\"']{1,80}:)[^\s\"']+"
        ),
        r"\1[secret]",
    ),
    (
        re.compile(
            r"(\b(?:sshpass\s+-p\s*|(?:mysql|mariadb)[\w-]*\s(?:[^\n]{0,300}?\s)?-p))"
            r"\S{4,}"
        ),
        r"\1[secret]",
    ),
    (
        re.compile(
            r"(\b(?:identified\s+(?:\w+\s+\w+\s+)?(?:by|as)|password)\s+)"
            r"('[^'\n]+'|\"[^\"\n]+\")",
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
    (
        re.compile(r"(?<![\w.+-])[\w.+-]{1,80}(?:@|%40)[\w-]{1,80}(?:\.[\w-]{1,80})+"),
        "[address]",
    ),
    (re.compile(r"(?<![\w+])\+\d(?:[ ().-]{0,2}\d){7,14}\b"), "[number]"),
    (re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b"), "[ip]"),
    (re.compile(r"(?i)\b(?:[0-9a-f]{1,4}:){4,7}[0-9a-f]{1,4}\b"), "[ip]"),
    (re.compile(r"(/(?:home|Users)/|[A-Za-z]:\\Users\\)[^/\\\s:'\"]+"), r"\1[user]"),
    (re.compile(r"\b(?:\d[ -]?){13,19}\b"), "[number]"),
    # Long mixtures of letters and digits are ids or secrets, never wording.
    # Only from where a run begins: from each place in it takes minutes.
    (
        re.compile(
            r"(?<![\w+/=-])([+/=-]*+)(?=[\w+/=-]*\d)(?=[\w+/=-]*[A-Za-z])"
            r"[\w+/=-]{20,}"
        ),
        r"\1[id]",
    ),
    (
        re.compile(r"\b(?=(?:[A-Za-z]*\d){3})(?=(?:\d*[A-Za-z]){3})[A-Za-z0-9]{12,}\b"),
        "[id]",
    ),
]


# What follows these is a secret wherever else it stands, too.
_NAMED = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        (
            rf"(?:{_NAMES})\w*[\"'\\]*\s*(?:[:=]|\bis\b)\s*[\"'\\]*"
            r"([^\s,;&}\"'\\]{4,200})"
        ),
        rf"--?(?:{_NAMES})[\w-]*[\s=]+[\"']?([^\s\"'-][^\s\"']{{3,200}})",
        rf"{_SCHEME}[^\s/@:]{{0,200}}:([^\s/@]{{4,200}})@",
    )
]
# One plain word (`auth: missing`) may be wording: it goes only where it was named.
_PLAIN = re.compile(r"[a-z]+|[A-Z][a-z]+|\d{1,3}")


def redacted(text: str) -> str:
    for secret in _told_elsewhere(text):
        text = text.replace(secret, "[secret]")
    for rule, replacement in _RULES:
        text = rule.sub(replacement, text)
    return text


def _told_elsewhere(text: str) -> list[str]:
    """Values that a text calls secret in one place, the longest first."""
    found = {match[1] for pattern in _NAMED for match in pattern.finditer(text)}
    told = [value for value in found if not _PLAIN.fullmatch(value)]
    return sorted(told, key=len, reverse=True)
