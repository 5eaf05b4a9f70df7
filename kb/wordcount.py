"""Whether a text has the words to be an answer: read by PostgreSQL, for a column that
is kept with the text (counting 70,000 texts each night would take two seconds)."""

MIN_WORDS = 40

# One by one: `\s` depends on the database's locale.
_SPACES = " \t\n\v\f\r"
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"

# A word ends at a space, or at each character of a script without spaces. Anchored and
# without choice, so that it takes linear time.
ENOUGH_WORDS = (
    f"^[{_SPACES}]*"
    f"(?:[^{_SPACES}{_CJK}]*[{_CJK}][{_SPACES}]*|[^{_SPACES}{_CJK}]+[{_SPACES}]+)"
    f"{{{MIN_WORDS - 1}}}[^{_SPACES}]"
)
