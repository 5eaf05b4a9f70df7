from collections.abc import Iterator

import pytest

from operational.domain import index
from operational.sample.load import load


@pytest.fixture(autouse=True)
def _fresh_index() -> Iterator[None]:
    """A rolled-back test leaves the process with a library of what never was."""
    index.forget()
    yield
    index.forget()


@pytest.fixture
def sample(db: None) -> int:
    return load()
