from django.urls import path, register_converter
from django.urls.converters import StringConverter

from operational import api
from operational.enums import EntityType
from operational.views import entities, lookup, recording


class TypeConverter(StringConverter):
    regex = "|".join(EntityType.values)


class SlugConverter(StringConverter):
    """As `operational.models.graph.SLUG` has it."""

    regex = r"[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*"


register_converter(TypeConverter, "entity_type")
register_converter(SlugConverter, "entity_slug")

app_name = "operational"
urlpatterns = [
    path("operational", lookup.memory, name="memory"),
    path("operational/record", recording.record, name="record"),
    path("operational/misses", recording.queue, name="misses"),
    path("operational/misses/<int:miss_id>", recording.close, name="close_miss"),
    path("operational/<entity_type:entity_type>", entities.entities, name="entities"),
    path(
        "operational/<entity_type:entity_type>/<entity_slug:slug>",
        entities.entity,
        name="entity",
    ),
    path(
        "operational/failure/<entity_slug:slug>/outcome",
        entities.outcome,
        name="outcome",
    ),
    path(
        "operational/failure/<entity_slug:slug>/verify", entities.verify, name="verify"
    ),
    path("api/operational-search", api.OperationalSearchView.as_view(), name="search"),
    path(
        "api/operational-search/schema",
        api.OperationalSchemaView.as_view(),
        name="schema",
    ),
]
