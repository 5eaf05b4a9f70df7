"""Lookups on the index that Django does not bring."""

from typing import Any

from django.contrib.postgres.search import SearchVectorField
from django.db.models import Lookup


@SearchVectorField.register_lookup
class Lexemes(Lookup[str]):
    """`search__lexemes="'a' | 'b'"`: match a tsquery given in its input syntax. Its
    terms come from `kb.analysis`; no parser or dictionary may touch them again."""

    lookup_name = "lexemes"
    prepare_rhs = False

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        left, left_params = self.process_lhs(compiler, connection)
        right, right_params = self.process_rhs(compiler, connection)
        return f"{left} @@ {right}::tsquery", (*left_params, *right_params)
