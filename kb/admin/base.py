"""What the admins of the library share."""

from typing import Any

from django.contrib import admin
from django.db.models import Model

from accounts.admin_pages import ReadOnly


class ShownInline(ReadOnly, admin.TabularInline[Any, Any]):
    """Rows that are only looked at."""

    extra = 0
    max_num = 0
    can_delete = False
    show_change_link = True


def changed(instance: Model, names: tuple[str, ...], form: Any) -> dict[str, Any]:
    """The values of a form's fields among `names`, as set on its instance."""
    return {name: getattr(instance, name) for name in names if name in form.fields}
