from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.db.models import Model

from operational.domain import index
from operational.sample.load import load

_kept: dict[type[Model], list[dict[str, Any]]] = {}


@pytest.fixture(autouse=True)
def _fresh_index() -> Iterator[None]:
    """A rolled-back test leaves the process with a library of what never was."""
    index.forget()
    yield
    index.forget()


@pytest.fixture
def sample(db: None) -> int:
    """The sample graph: imported once a run, from then on copied."""
    models = list(apps.get_app_config("operational").get_models())
    if not _kept:
        load()
        _kept.update({model: list(model._base_manager.values()) for model in models})
    else:
        for model in models:
            rows = [model(**row) for row in _kept[model]]
            model._base_manager.bulk_create(rows)
    return len(_kept[apps.get_model("operational", "Entity")])
