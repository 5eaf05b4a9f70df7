import pytest

from operational.pipeline.steps import titles as step
from tests.operational.pipeline.records import ask, failure

TITLED = failure(1, "a-b-c", "Certificates expire silently on the gateway")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("gateway certificates", True),
        ("certificates expire silently on a gateway at night", True),
        ("gateway", True),
        ("gateway coffee machine", False),
        ("the", False),
    ],
)
def test_a_significant_part_is_enough(text: str, found: bool) -> None:
    candidates = step.find(ask(text, TITLED))
    assert [(c.confidence, c.reason) for c in candidates] == (
        [(60, "keyword")] if found else []
    )
