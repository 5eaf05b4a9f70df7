"""What two near-equal texts say differently."""

import pytest

from kb.domain.differences import differences

BASE = "We keep {} of every customer system."


def told(first: str, second: str) -> list[tuple[str, str, str]]:
    found = differences(first, second)
    return [(each.kind.value, each.first, each.second) for each in found]


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        (
            "Backups are kept for 35 days at two sites.",
            "Backups are kept at two sites for 30 days.",
            [("number", "35 days", "30 days")],
        ),
        (
            "The service costs £1,200 a month for each site.",
            "For each site the service costs £1200 a month.",
            [],
        ),
        (
            "The service costs £1,200 a month for each site.",
            "For each site the service costs £1,250 a month.",
            [("number", "£1,200", "£1,250")],
        ),
        (
            "Availability was 99.90% over the last year.",
            "Availability was 99.5 % over the last year.",
            [("number", "99.90%", "99.5 %")],
        ),
        (
            "Our certificate by the auditor is valid until 3 March 2027.",
            "Our certificate by the auditor is valid until 2026-03-03.",
            [("date", "3 march 2027", "2026-03-03")],
        ),
        (
            "We are certified to ISO 27001 by an outside auditor.",
            "We are not certified to ISO 27001 by an outside auditor.",
            [("negation", "(no negation)", "not")],
        ),
        (
            "Restores do work without our help in the portal.",
            "Restores don't work without our help in the portal.",
            [],  # a negation on both sides
        ),
        (
            "The portal supports version 3 of the protocol.",
            "The portal supports version 4 of the protocol.",
            [("number", "version 3", "version 4")],
        ),
        (
            "Backups are kept for 35 days at the primary site.",
            "Backups are kept for 35 days at the primary site and tested 4 times.",
            [],  # more detail is no contradiction
        ),
        (
            "Backups are kept for 35 days at the primary site.",
            "Staff take 30 days of leave after the second year.",
            [],  # about something else
        ),
        (
            "| Tier | Kept |\n|-|-|\n| Plus | 35 days |",
            "| Tier |\n|-|\n| 90 days |",
            [],
        ),
        ("", "Backups are kept for 35 days at two sites.", []),
        ("\x00\ud800 12 12 12", "ß ۳ ½ ² 12,,3 .. %%", []),
    ],
)
def test_numbers_dates_and_negations_are_compared(
    first: str, second: str, wanted: list[tuple[str, str, str]]
) -> None:
    assert told(first, second) == wanted
    assert told(second, first) == [(k, b, a) for k, a, b in wanted]


def test_a_difference_carries_the_sentences() -> None:
    one = "Copies stay here. **Backups** are kept for 35 days at two sites."
    other = "Backups are kept for 30 days at two sites."
    found = differences(one, other)[0]
    assert found.first_sentence == "Backups are kept for 35 days at two sites."
    assert found.second_sentence == other
    assert str(found) == "35 days / 30 days"


def test_equal_texts_differ_in_nothing_and_long_ones_end() -> None:
    text = "\n\n".join(f"Rule {n} keeps {n} copies of every system." for n in range(99))
    assert differences(text, text) == []
    other = text.replace("copies", "copies or 7 tapes")
    assert len(differences(text * 20, other * 20)) <= 10
