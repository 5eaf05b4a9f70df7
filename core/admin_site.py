"""The admin site: the hub's own sign-in, nothing deleted, no input that breaks a page.

`HubAdminSite` lays `HubPages` under every registered admin, also those of packages.
"""

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.widgets import AutocompleteSelect
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import ValidationError
from django.db import DataError, IntegrityError
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from core.errors import BadInput, Conflict, HubError, NotAllowed, NotFound
from core.text import clean

MAX_SEARCH = 200

_View = Callable[..., HttpResponse]


class Autocomplete(AutocompleteSelect):
    def optgroups(self, name: str, value: Any, attr: Any = None) -> Any:
        """Django's fails over a posted value that is no key, where the form would have
        named it."""
        try:
            return super().optgroups(name, value, attr)
        except (ValueError, ValidationError):
            return super().optgroups(name, [], attr)


class HubPages(admin.ModelAdmin[Any]):
    """What holds for every model in admin."""

    def has_delete_permission(
        self, request: HttpRequest, obj: Model | None = None
    ) -> bool:
        """Content is archived, people are made inactive, schedules are switched off."""
        return False

    def formfield_for_foreignkey(
        self, db_field: Any, request: HttpRequest, **kwargs: Any
    ) -> Any:
        if db_field.name in self.get_autocomplete_fields(request):
            kwargs.setdefault("widget", Autocomplete(db_field, self.admin_site))
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Cut: Django makes a condition of each word, for each field."""
        term = clean(search_term)[:MAX_SEARCH]
        return super().get_search_results(request, queryset, term)

    def changeform_view(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        return shown_in_form(super().changeform_view, request, *args, **kwargs)

    def get_form(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> type[forms.ModelForm[Any]]:
        form = super().get_form(request, *args, **kwargs)
        refusal = getattr(request, "refusal", None)
        return form if refusal is None else _refused(form, refusal)


def shown_in_form(
    view: _View, request: HttpRequest, *args: Any, **kwargs: Any
) -> HttpResponse:
    """Call a form's view; what the domain refuses comes back as an error in the form,
    with all that was typed still there."""
    try:
        return view(request, *args, **kwargs)
    except HubError as error:
        refusal = error
    except IntegrityError:
        refusal = Conflict("This clashes with something saved before. Change it first.")
    except DataError:
        refusal = BadInput("The database cannot hold one of these values.")
    if request.method != "POST" or hasattr(request, "refusal"):
        raise refusal
    request.refusal = refusal  # type: ignore[attr-defined]
    return view(request, *args, **kwargs)


def _refused(
    form: type[forms.ModelForm[Any]], refusal: HubError
) -> type[forms.ModelForm[Any]]:
    """The same form, which `refusal` keeps from being valid."""

    def refuse(self: forms.ModelForm[Any]) -> dict[str, Any] | None:
        cleaned = form.clean(self)
        field = refusal.field if refusal.field in self.fields else None
        self.add_error(field, refusal.message)
        return cleaned

    names = {"clean": refuse, "__module__": form.__module__}
    return type(form.__name__, (form,), names)


class HubAdminSite(admin.AdminSite):
    site_header = "Knowledge Hub administration"
    site_title = "Knowledge Hub"
    index_title = "Administration"
    site_url = "/browse"

    def register(
        self,
        model_or_iterable: type[Model] | Iterable[type[Model]],
        admin_class: type[admin.ModelAdmin[Any]] | None = None,
        **options: Any,
    ) -> None:
        given = admin_class or admin.ModelAdmin
        if not issubclass(given, HubPages):
            names = {"__module__": given.__module__}
            given = type(given.__name__, (HubPages, given), names)
        super().register(model_or_iterable, given, **options)

    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """One sign-in for the whole hub, with its limits on guessing."""
        following = request.GET.get("next", "")
        if request.user.is_active and not self.has_permission(request):
            raise NotAllowed("Editors and admins may enter here. Ask an admin.")
        if not url_has_allowed_host_and_scheme(following, {request.get_host()}):
            following = reverse("admin:index", current_app=self.name)
        if self.has_permission(request):
            return HttpResponseRedirect(following)
        return redirect_to_login(following)

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        return super().admin_view(_guarded(view), cacheable)


def _guarded(view: _View) -> _View:
    """Addresses and filters that the database cannot compare are the caller's error."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            response = view(request, *args, **kwargs)
            # Lists and forms ask the database while they are rendered.
            if isinstance(response, TemplateResponse):
                response.render()
            return response
        except ValidationError as error:
            raise NotFound("There is nothing under this address.") from error
        except DataError as error:
            raise BadInput("The address holds a value that cannot be read.") from error

    return guarded
