"""Aggregates of PostgreSQL that Django does not name."""

from typing import Any

from django.db.models import Aggregate


class Percentile(Aggregate):
    """The value that `share` (0 to 1) of all do not exceed."""

    function = "percentile_disc"
    template = "%(function)s(%(share)s) WITHIN GROUP (ORDER BY %(expressions)s)"

    def __init__(self, expression: Any, *, share: float, **extra: Any) -> None:
        super().__init__(expression, share=float(share), **extra)
