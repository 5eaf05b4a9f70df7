"""One typo: what is one apart, and what a typo is read as."""

import pytest

from kb.domain.terms import refresh_statistics
from kb.domain.words import correct, one_typo_apart
from tests.factories.library import NOW, item


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("backup", "bakcup", True),
        ("backup", "bckup", True),
        ("backup", "backupp", True),
        ("backup", "backip", True),
        ("backup", "backup", False),
        ("backup", "bakucp", False),
        ("backup", "buckip", False),
        ("form", "from", True),
    ],
)
def test_one_typo_is_a_letter_more_less_other_or_two_swapped(
    one: str, other: str, apart: bool
) -> None:
    assert one_typo_apart(one, other) == one_typo_apart(other, one) == apart


@pytest.mark.django_db
def test_a_typo_is_read_as_the_commonest_word_near_it() -> None:
    item("Brackenshaw", "Brackenshaw council", embedded=False)
    item("Brackenshow", "A fair", embedded=False)
    item("Brackenshaw again", "More of it", embedded=False)
    refresh_statistics(NOW)
    assert correct(["brackensaw", "council", "xyz", "unheardof"]) == {
        "brackensaw": "brackenshaw"
    }
