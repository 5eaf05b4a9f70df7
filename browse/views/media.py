"""`/media/…`: pictures of items, for those who may see the item."""

from io import BytesIO

from django.core.files.storage import default_storage
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_safe
from PIL import Image, ImageOps

from accounts.viewer import Viewer
from browse.access import signed_in
from core.errors import NotFound
from kb.models import ContentItem

# By what the file holds, never by its name; nothing that can carry a script.
_TYPES = {
    "PNG": "image/png",
    "JPEG": "image/jpeg",
    "GIF": "image/gif",
    "WEBP": "image/webp",
}
_DAY = 86_400
# Twice the size on the page, for fine screens.
THUMBNAIL = (88, 112)


@require_safe
@signed_in
def picture(request: HttpRequest, viewer: Viewer, name: str) -> HttpResponse:
    """One answer for all that is not there or not to be seen."""
    content_type = _type_of(_seen(viewer, name))
    if content_type is None:
        raise _missing()
    file = default_storage.open(name)
    return _private(FileResponse(file, content_type=content_type))


@require_safe
@signed_in
def thumbnail(request: HttpRequest, viewer: Viewer, name: str) -> HttpResponse:
    """The picture as cards show it: small, and drawn anew, so nothing else is in it."""
    if _type_of(_seen(viewer, name)) is None:
        raise _missing()
    out = BytesIO()
    try:
        with default_storage.open(name) as file, Image.open(file) as image:
            image.draft("RGB", THUMBNAIL)
            ImageOps.fit(image.convert("RGB"), THUMBNAIL).save(out, "WEBP")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        raise _missing() from None
    return _private(HttpResponse(out.getvalue(), content_type="image/webp"))


def _seen(viewer: Viewer, name: str) -> str:
    items = ContentItem.objects.visible_to(viewer)
    if "\x00" in name or not items.filter(picture=name).exists():
        raise _missing()
    return name


def _missing() -> NotFound:
    return NotFound("There is no such picture, or you may not see it.")


def _private(response: HttpResponseBase) -> HttpResponse:
    response["Cache-Control"] = f"private, max-age={_DAY}"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["Content-Disposition"] = "inline"
    response["X-Content-Type-Options"] = "nosniff"
    return response  # type: ignore[return-value]


def _type_of(name: str) -> str | None:
    """None for what is no picture of a kind that browsers show safely."""
    try:
        with default_storage.open(name) as file, Image.open(file) as image:
            return _TYPES.get(image.format or "")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
