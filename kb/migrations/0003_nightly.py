"""What the nightly jobs need: their schedules, made once and from here on changed in
admin, and a table whose scores can be written cheaply.

An update that touches no indexed column, on a page with room, leaves all thirteen
indexes of an item alone. 70,000 scores: 0.8 to 1.6 seconds so, 4 to 7 otherwise.
"""

import zoneinfo

from django.db import migrations, models
from django.db.models.lookups import Regex

from kb.wordcount import ENOUGH_WORDS

# UTC. A minute and an hour of each day.
SCHEDULES = (
    ("Flag overdue reviews", "kb.flag_overdue", 3, 45),
    ("Recompute quality scores", "kb.recompute_quality", 4, 0),
    ("Embed what the sweeps left", "kb.backfill_embeddings", 4, 15),
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
        ("kb", "0002_schedule"),
        ("django_celery_beat", "0019_alter_periodictasks_options"),
    ]
    operations = [
        migrations.RemoveIndex(model_name="contentitem", name="item_quality"),
        # Before the new column, for which the table is written anew.
        migrations.RunSQL(
            "ALTER TABLE kb_contentitem SET (fillfactor = 70)",
            "ALTER TABLE kb_contentitem RESET (fillfactor)",
        ),
        migrations.AddField(
            model_name="contentitem",
            name="has_enough_words",
            field=models.GeneratedField(
                db_persist=True,
                expression=Regex(models.F("content"), models.Value(ENOUGH_WORDS)),
                output_field=models.BooleanField(),
            ),
        ),
        migrations.RunPython(create, migrations.RunPython.noop),
    ]
