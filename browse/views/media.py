"""`/media/…`: pictures of items, for those who may see the item."""

from django.core.files.storage import default_storage
from django.http import FileResponse, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from PIL import Image

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


@require_safe
@signed_in
def picture(request: HttpRequest, viewer: Viewer, name: str) -> HttpResponse:
    """One answer for all that is not there or not to be seen."""
    missing = NotFound("There is no such picture, or you may not see it.")
    items = ContentItem.objects.visible_to(viewer)
    if "\x00" in name or not items.filter(picture=name).exists():
        raise missing
    content_type = _type_of(name)
    if content_type is None:
        raise missing
    file = default_storage.open(name)
    response = FileResponse(file, content_type=content_type)
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
