"""When the nightly jobs run: the scheduler's own admin, with a form that holds."""

from typing import Any

from django.contrib import admin
from django_celery_beat.admin import PeriodicTaskAdmin, PeriodicTaskForm
from django_celery_beat.models import PeriodicTask

admin.site.unregister(PeriodicTask)


class ScheduleForm(PeriodicTaskForm):  # type: ignore[misc]
    def clean(self) -> Any:
        """Upstream reads the task even when its field has failed already."""
        self.cleaned_data.setdefault("task", "")
        return super().clean()


@admin.register(PeriodicTask)
class ScheduleAdmin(PeriodicTaskAdmin):  # type: ignore[misc]
    form = ScheduleForm
