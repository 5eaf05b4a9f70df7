import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("kb", "0008_duplicates"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddIndex(
            model_name="contentitem",
            index=models.Index(
                django.db.models.functions.text.Upper("subtopic"), name="item_subtopic"
            ),
        ),
        migrations.AddIndex(
            model_name="contentitem",
            index=models.Index(
                django.db.models.functions.text.Upper("platform"), name="item_platform"
            ),
        ),
        migrations.AddIndex(
            model_name="contentitem",
            index=models.Index(
                django.db.models.functions.text.Upper("author_name"), name="item_author"
            ),
        ),
        migrations.AddIndex(
            model_name="contentitem",
            index=models.Index(
                django.db.models.functions.text.Upper("source"), name="item_source_name"
            ),
        ),
        migrations.AddIndex(
            model_name="contentitem",
            index=models.Index(
                django.db.models.functions.text.Upper("layer"), name="item_layer"
            ),
        ),
    ]
