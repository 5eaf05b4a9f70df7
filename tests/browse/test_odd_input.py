"""Whatever an address or a form says, the answer is never a server error."""

import uuid

import pytest
from django.test import Client

from accounts.viewer import Viewer
from browse import questions
from kb.models import ContentItem
from tests.factories.library import NOW, domain, item

pytestmark = pytest.mark.django_db

ODD = ["\x00", "x" * 3000, "'\"<>%_\\", "9" * 30, "½", "\ud83d"]
HUGE = "9" * 25
NAMES = (
    "q",
    "find",
    "title",
    "skip",
    "show",
    "from_bid",
    "question",
    "preset",
    "rename",
    "name",
    "note",
    "text",
    "content",
    "ai_keywords",
    "primary_domain",
    "owner",
    "version",
    "builds_on",
    "by",
    "next",
    "on",
    "theme",
)


def addresses(made: ContentItem, asked: int) -> list[str]:
    return [
        "/",
        "/browse",
        "/browse/preview",
        "/presets",
        "/presets/new",
        "/presets/u_00000000",
        "/presets/system-none/follow",
        "/presets/u_00000000/delete",
        "/questions",
        "/questions/ask",
        f"/questions/{asked}/take",
        f"/questions/{asked}/answer",
        f"/questions/{asked}/close",
        f"/questions/{HUGE}/take",
        "/settings",
        "/settings/focus",
        "/settings/look",
        "/settings/tokens",
        f"/settings/tokens/{HUGE}/revoke",
        "/items/new",
        "/items/preview",
        "/items/alike",
        f"/items/{made.pk}",
        f"/items/{made.pk}/edit",
        f"/items/{made.pk}/history",
        f"/items/{made.pk}/replace",
        f"/items/{made.pk}/edits/{HUGE}/approve",
        f"/items/{uuid.UUID(int=0)}/edit",
        "/media/x",
    ]


@pytest.mark.parametrize("value", ODD, ids=range(len(ODD)))
def test_no_odd_value_is_a_server_error(
    value: str, as_editor: Client, reader: Viewer
) -> None:
    made = item(primary_domain=domain("People"))
    asked = questions.ask(reader, "Do you?", NOW)
    form = dict.fromkeys(NAMES, value.encode("utf-8", "replace").decode())
    for path in addresses(made, asked.pk):
        for answer in (as_editor.get(path, form), as_editor.post(path, form)):
            assert (path, answer.status_code < 500) == (path, True)
