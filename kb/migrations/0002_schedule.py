"""The sweep's schedule, made once: from here on it is changed in admin."""

from django.db import migrations

NAME = "Embed what is missing"


def create(apps, schema_editor):
    interval, _ = apps.get_model(
        "django_celery_beat", "IntervalSchedule"
    ).objects.get_or_create(every=1, period="minutes")
    apps.get_model("django_celery_beat", "PeriodicTask").objects.get_or_create(
        name=NAME,
        defaults={
            "task": "kb.sweep",
            "interval": interval,
            # Sweeps that no worker took do not pile up.
            "expire_seconds": 60,
        },
    )


class Migration(migrations.Migration):
    dependencies = [
        ("kb", "0001_initial"),
        ("django_celery_beat", "0019_alter_periodictasks_options"),
    ]
    operations = [migrations.RunPython(create, migrations.RunPython.noop)]
