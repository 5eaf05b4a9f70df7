from django.urls import path, register_converter

from browse import bid_urls
from browse.converters import PresetId
from browse.views import browse, item, presets, preview, recents, settings

register_converter(PresetId, "preset")

app_name = "browse"
urlpatterns = [
    path("browse", browse.browse, name="browse"),
    path("browse/preview", preview.suggestions, name="preview"),
    path("recents/clear", recents.clear, name="recents-clear"),
    path("presets", presets.manage, name="presets"),
    path("presets/new", presets.new, name="preset-new"),
    path("presets/<preset:preset_id>", presets.apply, name="preset"),
    path("presets/<preset:preset_id>/update", presets.update, name="preset-update"),
    path("presets/<preset:preset_id>/rename", presets.rename, name="preset-rename"),
    path("presets/<preset:preset_id>/share", presets.share, name="preset-share"),
    path("presets/<preset:preset_id>/follow", presets.follow, name="preset-follow"),
    path("presets/<preset:preset_id>/delete", presets.delete, name="preset-delete"),
    path("presets/<preset:preset_id>/restore", presets.restore, name="preset-restore"),
    path("settings", settings.show, name="settings"),
    path("settings/focus", settings.focus, name="focus"),
    path("settings/look", settings.look, name="look"),
    path("settings/tokens", settings.new_token, name="token-new"),
    path("settings/tokens/<int:token_id>/revoke", settings.revoke, name="token-revoke"),
    path("items/<uuid:item_id>", item.item, name="item"),
    path("items/<uuid:item_id>/cite", item.cite, name="cite"),
    *bid_urls.urlpatterns,
]
