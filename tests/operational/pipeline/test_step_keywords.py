from operational.pipeline.steps import keywords as step
from tests.operational.pipeline.records import ask, failure, slugs

RECORD = failure(
    1, "log-limit", "Log files grow", fix="Set `maxLogSize` in the config."
)


def test_a_specific_word_of_the_fix_is_found() -> None:
    query = ask("maxLogSize", RECORD)
    found = step.find(query)
    assert slugs(query, found) == ["log-limit"]
    assert 40 <= found[0].confidence <= 75


def test_words_that_are_mostly_unknown_find_nothing() -> None:
    assert step.find(ask("maxLogSize kitchen sourdough oven", RECORD)) == []
