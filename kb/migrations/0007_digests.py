"""Which digests went out, and when they are sent: schedules made once, from here on
changed in admin."""

import zoneinfo

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

# UTC, eight in the morning; Monday is 1.
SCHEDULES = (
    ("Send the weekly digests", "kb.weekly_digest", "1"),
    ("Send what is due today", "kb.daily_digest", "0,2-6"),
)


def create(apps, schema_editor):
    crontabs = apps.get_model("django_celery_beat", "CrontabSchedule").objects
    tasks = apps.get_model("django_celery_beat", "PeriodicTask").objects
    for name, task, days in SCHEDULES:
        crontab, _ = crontabs.get_or_create(
            hour="8",
            minute="0",
            day_of_week=days,
            day_of_month="*",
            month_of_year="*",
            timezone=zoneinfo.ZoneInfo("UTC"),
        )
        tasks.get_or_create(name=name, defaults={"task": task, "crontab": crontab})


class Migration(migrations.Migration):
    dependencies = [
        ("kb", "0006_inline_vectors"),
        ("django_celery_beat", "0019_alter_periodictasks_options"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="DigestSent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("weekly", "Weekly"), ("daily", "Daily")],
                        max_length=10,
                    ),
                ),
                ("date", models.DateField()),
                ("sent_at", models.DateTimeField()),
                ("subject", models.CharField(max_length=200)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="digests",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "digest",
                "ordering": ["-date", "pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("user", "kind", "date"),
                        name="digest_once_per_user_and_day",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["weekly", "daily"])),
                        name="digest_kind_known",
                    ),
                ],
            },
        ),
        migrations.RunPython(create, migrations.RunPython.noop),
    ]
