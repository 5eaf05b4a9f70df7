from django.urls import path

from operational import api

app_name = "operational"
urlpatterns = [
    path("api/operational-search", api.OperationalSearchView.as_view(), name="search"),
    path(
        "api/operational-search/schema",
        api.OperationalSchemaView.as_view(),
        name="schema",
    ),
]
