"""`/media/…`: a picture is seen by who sees its item, and is nothing but a picture."""

from io import BytesIO
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.test import Client
from PIL import Image

from kb.models import ContentItem
from tests.factories.library import item

pytestmark = pytest.mark.django_db


def png() -> bytes:
    out = BytesIO()
    Image.new("RGB", (4, 4), "green").save(out, "PNG")
    return out.getvalue()


def pictured(data: bytes, name: str = "pictures/one.png", **values: Any) -> str:
    made = item(**values)
    stored = default_storage.save(name, ContentFile(data))
    ContentItem.objects.filter(pk=made.pk).update(picture=stored)
    return f"/media/{stored}"


@pytest.fixture(autouse=True)
def _media(settings: Any, tmp_path: Any) -> None:
    settings.MEDIA_ROOT = tmp_path


def test_a_picture_is_served_as_what_it_is_and_privately(as_reader: Client) -> None:
    answer = as_reader.get(pictured(png(), "pictures/one.html"))
    assert b"".join(answer.streaming_content) == png()  # type: ignore[attr-defined]
    assert answer["Content-Type"] == "image/png"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "private" in answer["Cache-Control"]
    assert "sandbox" in answer["Content-Security-Policy"]


def test_it_is_seen_by_who_sees_the_item(
    client: Client, as_reader: Client, as_editor: Client
) -> None:
    path = pictured(png(), governance_review_status="draft")
    assert client.get(path)["Location"].startswith("/sign-in")
    assert as_reader.get(path).status_code == 404
    answer = as_editor.get(path)
    assert answer.status_code == 200
    answer.close()


@pytest.mark.parametrize(
    "data",
    [b"<script>alert(1)</script>", b"", b"<svg xmlns='http://www.w3.org/2000/svg'/>"],
)
def test_what_is_no_picture_is_not_served(data: bytes, as_reader: Client) -> None:
    assert as_reader.get(pictured(data)).status_code == 404


@pytest.mark.parametrize(
    "name", ["../secret", "pictures/none.png", "%00", "/etc/hosts"]
)
def test_no_other_file_is_in_reach(name: str, as_reader: Client) -> None:
    item()
    assert as_reader.get(f"/media/{name}").status_code == 404


def test_a_card_shows_it_small(client: Client, as_reader: Client) -> None:
    path = pictured(png()).replace("/media/", "/thumbnails/")
    assert f'src="{path}"' in as_reader.get("/browse").content.decode()
    answer = as_reader.get(path)
    assert answer["Content-Type"] == "image/webp"
    with Image.open(BytesIO(answer.content)) as image:
        assert image.size == (88, 112)
    assert client.get(path).status_code == 302
    assert as_reader.get("/thumbnails/pictures/none.png").status_code == 404
