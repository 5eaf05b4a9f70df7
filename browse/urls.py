from django.urls import path

from browse import bid_urls
from browse.views import browse, item, preview

app_name = "browse"
urlpatterns = [
    path("browse", browse.browse, name="browse"),
    path("browse/preview", preview.suggestions, name="preview"),
    path("items/<uuid:item_id>", item.item, name="item"),
    path("items/<uuid:item_id>/cite", item.cite, name="cite"),
    *bid_urls.urlpatterns,
]
