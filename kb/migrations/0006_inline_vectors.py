"""What a search reads of a row stands in that row.

A vector of 4 KB is kept apart by PostgreSQL unless told otherwise: each distance then
costs an index scan and four more pages (10,000 rows: 4 ms for the 1,000 nearest, 0.5 ms
inline), and the planner, which does not know, sorts the whole table by distance rather
than ask the vector index. The same for the words of a section: reading them out of
Markdown took 10 ms of each search.
"""

from django.db import migrations, models
from pgvector.django import HnswIndex

from core.markdown import plain

BATCH = 1_000

INLINE = """
ALTER TABLE kb_itemindex ALTER COLUMN embedding SET STORAGE PLAIN;
ALTER TABLE kb_itemindex SET (toast_tuple_target = 8160);
-- Through an array, since an unchanged value would stay where it is.
UPDATE kb_itemindex SET embedding = embedding::real[]::vector
WHERE embedding IS NOT NULL;
"""
APART = """
ALTER TABLE kb_itemindex ALTER COLUMN embedding SET STORAGE EXTERNAL;
ALTER TABLE kb_itemindex RESET (toast_tuple_target);
"""


def read_out(apps, schema_editor):
    chunks = apps.get_model("kb", "ContentChunk").objects
    found = chunks.only("text").order_by("pk")
    batch = list(found[:BATCH])
    while batch:
        for chunk in batch:
            chunk.plain = plain(chunk.text)
        chunks.bulk_update(batch, ["plain"])
        batch = list(found.filter(pk__gt=batch[-1].pk)[:BATCH])


def _index(name):
    return HnswIndex(
        ef_construction=64,
        fields=["embedding"],
        m=16,
        name=name,
        opclasses=["vector_cosine_ops"],
    )


class Migration(migrations.Migration):
    dependencies = [("kb", "0005_moderation")]
    operations = [
        migrations.RemoveIndex(model_name="itemindex", name="index_embedding"),
        migrations.RunSQL(INLINE, APART),
        migrations.AddIndex(model_name="itemindex", index=_index("index_embedding")),
        migrations.AlterField(
            model_name="contentchunk",
            name="text",
            field=models.TextField(help_text="Markdown"),
        ),
        migrations.AddField(
            model_name="contentchunk",
            name="plain",
            field=models.TextField(
                default="", help_text="Its words alone, for snippets"
            ),
        ),
        # A vector index on the table would be written anew with each row.
        migrations.RemoveIndex(model_name="contentchunk", name="chunk_embedding"),
        migrations.RunPython(read_out, migrations.RunPython.noop),
        migrations.AddIndex("contentchunk", _index("chunk_embedding")),
    ]
