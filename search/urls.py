from django.urls import path

from search import api, navigation_api

app_name = "search"
urlpatterns = [
    path("search", api.SearchView.as_view(), name="search"),
    path("search/jump", navigation_api.JumpView.as_view(), name="jump"),
    path("search/sections", api.SectionsView.as_view(), name="sections"),
    path("search/preview", api.PreviewView.as_view(), name="preview"),
]
