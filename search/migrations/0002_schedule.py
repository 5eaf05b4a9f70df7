"""The nightly purge's schedule, made once: from here on it is changed in admin."""

from django.db import migrations

NAME = "Forget old searches"


def create(apps, schema_editor):
    night, _ = apps.get_model(
        "django_celery_beat", "CrontabSchedule"
    ).objects.get_or_create(minute="20", hour="2", timezone="UTC")
    apps.get_model("django_celery_beat", "PeriodicTask").objects.get_or_create(
        name=NAME, defaults={"task": "search.purge_log", "crontab": night}
    )


class Migration(migrations.Migration):
    dependencies = [
        ("search", "0001_initial"),
        ("django_celery_beat", "0019_alter_periodictasks_options"),
    ]
    operations = [migrations.RunPython(create, migrations.RunPython.noop)]
