"""When the nightly jobs run: the scheduler's own admin, made to hold bad input."""

from typing import Any

from django.contrib import admin
from django_celery_beat.admin import PeriodicTaskAdmin, PeriodicTaskForm
from django_celery_beat.models import CrontabSchedule, PeriodicTask

admin.site.unregister(PeriodicTask)
admin.site.unregister(CrontabSchedule)


class ScheduleForm(PeriodicTaskForm):  # type: ignore[misc]
    def clean(self) -> Any:
        """Upstream reads the task even when its field has failed already."""
        self.cleaned_data.setdefault("task", "")
        return super().clean()


@admin.register(PeriodicTask)
class ScheduleAdmin(PeriodicTaskAdmin):  # type: ignore[misc]
    form = ScheduleForm
    # Upstream's page holds a script, which the security policy keeps from running.
    change_form_template = "admin/change_form.html"


@admin.register(CrontabSchedule)
class CrontabAdmin(admin.ModelAdmin[CrontabSchedule]):
    """Without upstream's reading of the schedule in words: it fails over a bad one."""

    list_display = (
        "minute",
        "hour",
        "day_of_week",
        "day_of_month",
        "month_of_year",
        "timezone",
    )
    fields = list_display
    list_display_links = ("minute", "hour")
