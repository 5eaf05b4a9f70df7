"""Charts as numbers."""

from browse.charts import Row, bars, strip


def test_parts_of_a_strip_fill_it_and_none_is_lost() -> None:
    chart = strip([Row("A", 99_999), Row("B", 0), Row("C", 1)], "said")
    assert [(mark.x, mark.width) for mark in chart.marks] == [
        ("0", "99.6"),
        ("100", "0"),
    ]
    assert [row.count for row in chart.rows] == [99_999, 0, 1]


def test_a_strip_of_nothing_has_no_parts() -> None:
    assert strip([Row("A", 0)], "none").marks == []


def test_bars_are_as_high_as_their_share_of_the_highest() -> None:
    chart = bars([Row("A", 10), Row("B", 5), Row("C", 0)], "said", "Head")
    assert [mark.height for mark in chart.marks] == ["106", "53", "0"]
    assert [mark.value for mark in chart.marks] == ["10", "5", ""]
    assert [mark.x for mark in chart.marks] == ["1", "34.33", "67.67"]


def test_bars_of_nothing_stand_on_the_line() -> None:
    assert {mark.height for mark in bars([Row("A", 0)], "none", "H").marks} == {"0"}
