"""Pairs of near-duplicates, and when they are looked for: a schedule made once, from
here on changed in admin."""

import zoneinfo

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

NAME, TASK = "Find near-duplicates", "kb.find_duplicates"


def create(apps, schema_editor):
    """UTC, after the night's embeddings."""
    crontab, _ = apps.get_model(
        "django_celery_beat", "CrontabSchedule"
    ).objects.get_or_create(
        hour="4",
        minute="30",
        day_of_week="*",
        day_of_month="*",
        month_of_year="*",
        timezone=zoneinfo.ZoneInfo("UTC"),
    )
    apps.get_model("django_celery_beat", "PeriodicTask").objects.get_or_create(
        name=NAME, defaults={"task": TASK, "crontab": crontab}
    )


class Migration(migrations.Migration):
    dependencies = [
        ("kb", "0007_digests"),
        ("django_celery_beat", "0019_alter_periodictasks_options"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Comparison",
            fields=[
                (
                    "item",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="comparison",
                        serialize=False,
                        to="kb.contentitem",
                    ),
                ),
                ("recipe", models.CharField(max_length=120)),
                ("text_hash", models.CharField(max_length=64)),
                ("compared_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="DuplicatePair",
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
                        choices=[
                            ("duplicate", "Near-duplicate"),
                            ("contradict", "May contradict"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "likeness",
                    models.FloatField(help_text="Cosine of their vectors, 0 to 1"),
                ),
                (
                    "shared",
                    models.FloatField(
                        help_text="Share of their words in common, 0 to 1"
                    ),
                ),
                ("same_title", models.BooleanField(default=False)),
                (
                    "differences",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="Numbers, dates and negations that differ",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("dismissed", "Dismissed"),
                            ("merged", "Merged"),
                            ("gone", "No longer alike"),
                        ],
                        default="open",
                        max_length=10,
                    ),
                ),
                ("found_at", models.DateTimeField()),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
                ("note", models.TextField(blank=True, default="")),
            ],
            options={
                "verbose_name": "near-duplicate",
                "ordering": ["-shared", "pk"],
            },
        ),
        migrations.AlterConstraint(
            model_name="citation",
            name="citation_by_exactly_one",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("citing_item", None),
                        ("response__isnull", False),
                        ("workspace", None),
                    ),
                    models.Q(
                        ("citing_item", None),
                        ("response", None),
                        ("workspace__isnull", False),
                    ),
                    models.Q(
                        ("citing_item__isnull", False),
                        ("response", None),
                        ("workspace", None),
                    ),
                    _connector="OR",
                ),
                name="citation_by_exactly_one",
                violation_error_message="Choose exactly one: a bid, an answer or another item.",
            ),
        ),
        migrations.AlterConstraint(
            model_name="citation",
            name="citation_once_per_response",
            constraint=models.UniqueConstraint(
                condition=models.Q(("response__isnull", False)),
                fields=("item", "response"),
                name="citation_once_per_response",
                violation_error_message="This answer cites this item already.",
            ),
        ),
        migrations.AlterConstraint(
            model_name="citation",
            name="citation_once_per_workspace",
            constraint=models.UniqueConstraint(
                condition=models.Q(("workspace__isnull", False)),
                fields=("item", "workspace"),
                name="citation_once_per_workspace",
                violation_error_message="This bid cites this item already.",
            ),
        ),
        migrations.AlterConstraint(
            model_name="citation",
            name="citation_once_per_citing_item",
            constraint=models.UniqueConstraint(
                condition=models.Q(("citing_item__isnull", False)),
                fields=("item", "citing_item"),
                name="citation_once_per_citing_item",
                violation_error_message="That item cites this item already.",
            ),
        ),
        migrations.AddField(
            model_name="duplicatepair",
            name="decided_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="duplicatepair",
            name="first",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="kb.contentitem",
            ),
        ),
        migrations.AddField(
            model_name="duplicatepair",
            name="second",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="kb.contentitem",
            ),
        ),
        migrations.AddIndex(
            model_name="duplicatepair",
            index=models.Index(fields=["second"], name="pair_second"),
        ),
        migrations.AddIndex(
            model_name="duplicatepair",
            index=models.Index(fields=["state", "-shared"], name="pair_open"),
        ),
        migrations.AddConstraint(
            model_name="duplicatepair",
            constraint=models.UniqueConstraint(
                fields=("first", "second"), name="pair_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="duplicatepair",
            constraint=models.CheckConstraint(
                condition=models.Q(("first__lt", models.F("second"))),
                name="pair_in_order",
            ),
        ),
        migrations.AddConstraint(
            model_name="duplicatepair",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("kind__in", ["duplicate", "contradict"]),
                    ("state__in", ["open", "dismissed", "merged", "gone"]),
                ),
                name="pair_kind_and_state_known",
            ),
        ),
        migrations.RunPython(create, migrations.RunPython.noop),
    ]
