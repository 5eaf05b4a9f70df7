"""What the admins of operational memory share."""

from typing import Any

from django.http import HttpRequest


class RowsInline:
    """Rows of a whole: who may change the whole may take rows out."""

    extra = 1

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        allowed: bool = self.has_change_permission(request, obj)  # type: ignore[attr-defined]
        return allowed
