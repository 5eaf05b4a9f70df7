"""The nightly clearing's schedule, made once: from here on it is changed in admin."""

from django.db import migrations

NAME = "Forget expired tokens of programs"


def create(apps, schema_editor):
    night, _ = apps.get_model(
        "django_celery_beat", "CrontabSchedule"
    ).objects.get_or_create(minute="40", hour="2", timezone="UTC")
    apps.get_model("django_celery_beat", "PeriodicTask").objects.get_or_create(
        name=NAME, defaults={"task": "accounts.clear_oauth", "crontab": night}
    )


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_digest"),
        ("django_celery_beat", "0019_alter_periodictasks_options"),
    ]
    operations = [migrations.RunPython(create, migrations.RunPython.noop)]
