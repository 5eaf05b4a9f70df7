"""`/presets`: save, manage, follow, share, delete."""

from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.text import Truncator
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from accounts.viewer import Viewer
from browse import presets
from browse.access import signed_in
from browse.dialogs import done, show
from browse.models import NAME_MOST
from browse.panel import chips
from browse.preset_bar import apply_url, preset_bar
from browse.preset_list import preset_list
from browse.state import BrowseState
from core.errors import BadInput
from core.http import is_htmx

RESULTS = "#results"


@require_safe
@signed_in
def manage(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    return _manage(request, viewer, renaming=request.GET.get("rename", ""))


@require_safe
@signed_in
def apply(request: HttpRequest, viewer: Viewer, preset_id: str) -> HttpResponse:
    """The library as a preset shows it: the address to send to a colleague."""
    return HttpResponseRedirect(apply_url(presets.preset(viewer, preset_id)))


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def new(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """Save the filters of the address under a name."""
    state = BrowseState.read(request.GET)
    if request.method != "POST":
        return _form(request, state, name=_suggested(state))
    name = request.POST.get("name", "")
    try:
        made = presets.save(
            viewer,
            name,
            state.filters,
            timezone.now(),
            sort=_sort(state) if request.POST.get("sort") else "",
            shared=bool(request.POST.get("shared")),
        )
    except BadInput as error:
        return _form(request, state, name=name, error=error)
    if request.POST.get("mail"):
        presets.follow(viewer, made.id, on=True)
    url = state.url(preset=made.id)
    return done(request, f"Preset “{made.name}” saved.", url, target=RESULTS)


@require_POST
@signed_in
def update(request: HttpRequest, viewer: Viewer, preset_id: str) -> HttpResponse:
    """Let the preset keep the filters of the address from now on."""
    state = BrowseState.read(request.GET)
    kept = presets.replace(viewer, preset_id, state.filters, _sort(state))
    url = state.url(preset=kept.id)
    return done(request, f"Preset “{kept.name}” changed.", url, target=RESULTS)


@require_POST
@signed_in
def rename(request: HttpRequest, viewer: Viewer, preset_id: str) -> HttpResponse:
    name = request.POST.get("name", "")
    try:
        presets.rename(viewer, preset_id, name)
    except BadInput as error:
        return _manage(request, viewer, renaming=preset_id, typed=name, error=error)
    return _changed(request, viewer)


@require_POST
@signed_in
def share(request: HttpRequest, viewer: Viewer, preset_id: str) -> HttpResponse:
    presets.share(viewer, preset_id, shared=request.POST.get("on") == "true")
    return _changed(request, viewer)


@require_POST
@signed_in
def follow(request: HttpRequest, viewer: Viewer, preset_id: str) -> HttpResponse:
    presets.follow(viewer, preset_id, on=request.POST.get("on") == "true")
    return _changed(request, viewer)


@require_POST
@signed_in
def delete(request: HttpRequest, viewer: Viewer, preset_id: str) -> HttpResponse:
    gone = presets.delete(viewer, preset_id, timezone.now())
    if is_htmx(request):
        # In the dialog: what lies behind it cannot be reached while it is open.
        return _changed(request, viewer, deleted=gone)
    undo = reverse("browse:preset-restore", args=[gone.id])
    said = f"Preset “{gone.name}” deleted."
    return done(request, said, _back(request), target=RESULTS, undo_url=undo)


@require_POST
@signed_in
def restore(request: HttpRequest, viewer: Viewer, preset_id: str) -> HttpResponse:
    back = presets.restore(viewer, preset_id)
    if is_htmx(request) and request.POST.get("in") == "list":
        return _changed(request, viewer)
    said = f"Preset “{back.name}” is back."
    url = _here(request) or _back(request)
    return done(request, said, url, target=RESULTS, push=False)


def _changed(
    request: HttpRequest, viewer: Viewer, *, deleted: presets.Preset | None = None
) -> HttpResponse:
    """The list after a change; the bar behind the dialog follows."""
    if not is_htmx(request):
        return HttpResponseRedirect(_back(request))
    response = _manage(request, viewer, deleted=deleted)
    bar = {"bar": preset_bar(_here_state(request), viewer), "swap": True}
    response.write(render_to_string("browse/_presets.html", bar, request))
    return response


def _manage(
    request: HttpRequest,
    viewer: Viewer,
    *,
    renaming: str = "",
    typed: str | None = None,
    error: BadInput | None = None,
    deleted: presets.Preset | None = None,
) -> HttpResponse:
    context = {
        "deleted": deleted,
        "list": preset_list(viewer, timezone.now().date(), _here_state(request)),
        "renaming": renaming,
        "typed": typed,
        "error": error,
        "name_most": NAME_MOST,
    }
    return show(request, "browse/presets.html", context, 422 if error else 200)


def _form(
    request: HttpRequest, state: BrowseState, name: str, error: BadInput | None = None
) -> HttpResponse:
    context = {
        "state": state,
        "name": name,
        "name_most": NAME_MOST,
        "chips": chips(state),
        "sort": state.sorting.reverse_label if state.order else state.sorting.label,
        "error": error,
        "posted": request.POST,
        "back_url": state.url(),
        "action": request.get_full_path(),
    }
    return show(request, "browse/preset_new.html", context, 422 if error else 200)


def _suggested(state: BrowseState) -> str:
    labels = [chip.label for chip in chips(state)]
    return Truncator(", ".join(labels)).chars(NAME_MOST)


def _sort(state: BrowseState) -> str:
    return f"{state.sort}-{state.order}" if state.order else state.sort


def _here(request: HttpRequest) -> str:
    """The page that htmx asks from."""
    htmx = getattr(request, "htmx", None)
    return (htmx.current_url_abs_path or "") if htmx else ""


def _here_state(request: HttpRequest) -> BrowseState:
    try:
        return BrowseState.read(QueryDict(urlsplit(_here(request)).query))
    except BadInput:
        return BrowseState()


def _back(request: HttpRequest) -> str:
    return reverse("browse:presets")
