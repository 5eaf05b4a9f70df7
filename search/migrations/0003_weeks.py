"""What is kept of searches week by week, who sees to those that find nothing, and the
schedule of the roll-up, made once: from here on it is changed in admin."""

import zoneinfo

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def create(apps, schema_editor):
    # UTC; before old searches are forgotten at 02:20.
    night, _ = apps.get_model(
        "django_celery_beat", "CrontabSchedule"
    ).objects.get_or_create(
        hour="2",
        minute="10",
        day_of_week="*",
        day_of_month="*",
        month_of_year="*",
        timezone=zoneinfo.ZoneInfo("UTC"),
    )
    apps.get_model("django_celery_beat", "PeriodicTask").objects.get_or_create(
        name="Roll up searches", defaults={"task": "search.roll_up", "crontab": night}
    )


class Migration(migrations.Migration):
    dependencies = [
        ("kb", "0001_initial"),
        ("search", "0002_schedule"),
        ("django_celery_beat", "0019_alter_periodictasks_options"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="SearchWeek",
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
                ("week", models.DateField(help_text="Its Monday", unique=True)),
                ("searches", models.PositiveIntegerField()),
                ("people", models.PositiveIntegerField()),
                ("found_nothing", models.PositiveIntegerField()),
                ("weak", models.PositiveIntegerField()),
                (
                    "opened",
                    models.PositiveIntegerField(
                        help_text="Something was opened from it"
                    ),
                ),
                ("slow", models.PositiveIntegerField()),
                ("p50_ms", models.PositiveIntegerField()),
                ("p95_ms", models.PositiveIntegerField()),
            ],
            options={
                "verbose_name": "week of searches",
                "verbose_name_plural": "weeks of searches",
                "ordering": ["-week"],
            },
        ),
        migrations.CreateModel(
            name="Gap",
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
                ("key", models.CharField(max_length=64, unique=True)),
                ("query", models.TextField()),
                ("assigned_at", models.DateTimeField()),
                ("closed_at", models.DateTimeField(null=True)),
                (
                    "assigned_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "assigned_to",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="search_gaps",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["assigned_at", "pk"],
            },
        ),
        migrations.CreateModel(
            name="WeekQuery",
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
                        choices=[("nothing", "Found nothing"), ("slow", "Slow")],
                        max_length=8,
                    ),
                ),
                (
                    "key",
                    models.CharField(
                        help_text="Of all spellings of the words", max_length=64
                    ),
                ),
                ("query", models.TextField(help_text="As it was typed last")),
                ("times", models.PositiveIntegerField()),
                ("people", models.PositiveIntegerField()),
                ("last_at", models.DateTimeField()),
                ("slowest_ms", models.PositiveIntegerField()),
                (
                    "nearest",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="kb.contentitem",
                    ),
                ),
                (
                    "week",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="queries",
                        to="search.searchweek",
                    ),
                ),
            ],
            options={
                "verbose_name": "query of a week",
                "verbose_name_plural": "queries of a week",
                "ordering": ["-week", "kind", "-times", "key"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("week", "kind", "key"), name="weekquery_once"
                    )
                ],
            },
        ),
        migrations.RunPython(create, migrations.RunPython.noop),
    ]
