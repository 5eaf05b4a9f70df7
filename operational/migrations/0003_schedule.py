"""The nightly work of operational memory: its schedules, made once and from here on
changed in admin. UTC; a minute and an hour of each day."""

import zoneinfo

from django.db import migrations

SCHEDULES = (
    ("Find stale fixes", "operational.find_stale_fixes", 3, 50),
    ("Forget old pastes", "operational.forget_old_pastes", 3, 55),
)


def create(apps, schema_editor):
    crontabs = apps.get_model("django_celery_beat", "CrontabSchedule").objects
    tasks = apps.get_model("django_celery_beat", "PeriodicTask").objects
    for name, task, hour, minute in SCHEDULES:
        crontab, _ = crontabs.get_or_create(
            hour=str(hour),
            minute=str(minute),
            day_of_week="*",
            day_of_month="*",
            month_of_year="*",
            timezone=zoneinfo.ZoneInfo("UTC"),
        )
        tasks.get_or_create(name=name, defaults={"task": task, "crontab": crontab})


class Migration(migrations.Migration):
    dependencies = [
        ("operational", "0002_pages"),
        ("django_celery_beat", "0019_alter_periodictasks_options"),
    ]
    operations = [migrations.RunPython(create, migrations.RunPython.noop)]
