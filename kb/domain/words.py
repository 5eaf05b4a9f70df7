"""The words of the library as people write them, and the one that a typo meant."""

from collections.abc import Iterable

from django.db.models import Q

from kb.analysis import terms_of
from kb.domain.term_vectors import frequencies
from kb.embeddings.local import vocabulary
from kb.models import Word

MIN_LENGTH, MAX_LENGTH = 4, 40


def is_correctable(word: str) -> bool:
    """Whether a folded token is a plain word, long enough to be recognised."""
    return MIN_LENGTH <= len(word) <= MAX_LENGTH and word.isalpha()


def is_ordinary(word: str) -> bool:
    """Whether a folded token is a word of the language, in this form or another."""
    return not vocabulary().isdisjoint((word, *terms_of(word)))


def add_words(words: Iterable[str]) -> None:
    """Remember words. Sorted, so that two writers never wait for each other."""
    given = set(words)
    known = Word.objects.filter(word__in=given).values_list("word", flat=True)
    new = sorted(given.difference(known))
    rows = [Word(word=word, deletes=deletes(word)) for word in new]
    Word.objects.bulk_create(rows, ignore_conflicts=True, batch_size=2_000)


def deletes(word: str) -> list[str]:
    """The word with each letter left out, once."""
    return sorted({word[:at] + word[at + 1 :] for at in range(len(word))})


def correct(words: Iterable[str]) -> dict[str, str]:
    """For each folded word that the library does not know: the commonest known one that
    is one typo away (a letter more, less, other, or two swapped). A word of the
    language that the library happens not to use is no typo. Two queries."""
    unknown = {
        word: {word, *deletes(word)}
        for word in words
        if is_correctable(word) and word not in vocabulary()
    }
    if not unknown:
        return {}
    variants = sorted(set().union(*unknown.values()))
    near = Word.objects.filter(Q(word__in=variants) | Q(deletes__overlap=variants))
    known = dict(near.values_list("word", "deletes"))
    items = frequencies(term for word in known for term in terms_of(word))
    found = {}
    for word, reach in unknown.items():
        close = [
            each
            for each, shorter in known.items()
            if reach & {each, *shorter} and one_typo_apart(word, each)
        ]
        close.sort(key=lambda each: (-_common(each, items), each))
        if close and _common(close[0], items):
            found[word] = close[0]
    return found


def _common(word: str, items: dict[str, int]) -> int:
    return max((items.get(term, 0) for term in terms_of(word)), default=0)


def one_typo_apart(one: str, other: str) -> bool:
    """Damerau-Levenshtein distance 1: they share a deletion, but two different letters
    may have been left out of either."""
    if abs(len(one) - len(other)) > 1 or one == other:
        return False
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    a, b = one[start:], other[start:]
    return (
        a[1:] == b[1:]
        or a[1:] == b
        or a == b[1:]
        or (a[:2] == b[1::-1] and a[2:] == b[2:])
    )
