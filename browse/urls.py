from django.urls import path, register_converter

from browse import bid_urls, governance_urls
from browse.converters import Decision, ItemAction, PresetId
from browse.views import (
    browse,
    edit,
    home,
    item,
    item_actions,
    media,
    presets,
    preview,
    questions,
    recents,
    settings,
)

register_converter(PresetId, "preset")
register_converter(ItemAction, "action")
register_converter(Decision, "decision")

app_name = "browse"
urlpatterns = [
    path("", home.front, name="home"),
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
    path("questions", questions.queue, name="questions"),
    path("questions/ask", questions.ask, name="question-ask"),
    path("questions/<int:question_id>/take", questions.take, name="question-take"),
    path(
        "questions/<int:question_id>/answer", questions.answer, name="question-answer"
    ),
    path("questions/<int:question_id>/close", questions.close, name="question-close"),
    path("questions/<int:question_id>/seen", questions.seen, name="question-seen"),
    path("items/new", edit.new, name="item-new"),
    path("items/preview", edit.preview, name="item-preview"),
    path("items/alike", edit.alike, name="item-alike"),
    path("items/<uuid:item_id>", item.item, name="item"),
    path("items/<uuid:item_id>/cite", item.cite, name="cite"),
    path("items/<uuid:item_id>/edit", edit.edit, name="item-edit"),
    path("items/<uuid:item_id>/history", item_actions.past, name="item-history"),
    path("items/<uuid:item_id>/<action:action>", item_actions.act, name="item-action"),
    path(
        "items/<uuid:item_id>/edits/<int:revision>/<decision:decision>",
        item_actions.decide,
        name="item-decide",
    ),
    path("media/<path:name>", media.picture, name="picture"),
    path("thumbnails/<path:name>", media.thumbnail, name="thumbnail"),
    *bid_urls.urlpatterns,
    *governance_urls.urlpatterns,
]
