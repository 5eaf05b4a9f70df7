from typing import Any

from django.apps import apps
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from accounts import tokens
from accounts.models import AccessToken, User
from core.admin_site import HubPages
from core.bulk import Bulk, action

admin.site.unregister(Group)
# Whom one has let in is one's own: `/connections`.
for model in apps.get_app_config("oauth2_provider").get_models():
    if admin.site.is_registered(model):
        admin.site.unregister(model)


@admin.register(User)
class HubUserAdmin(UserAdmin[User]):
    """People leave by being made inactive: what they wrote stays theirs."""

    list_display = ("username", "display_name", "email", "role", "is_active")
    list_filter = ("role", "primary_focus", "is_active")
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Person", {"fields": ("first_name", "last_name", "email", "digest")}),
        ("Work", {"fields": ("role", "primary_focus", "groups", "is_active")}),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )
    add_fieldsets = (
        (
            None,
            {
                "fields": (
                    "username",
                    "role",
                    "usable_password",
                    "password1",
                    "password2",
                )
            },
        ),
    )
    readonly_fields = ("last_login", "date_joined")
    filter_horizontal = ("groups",)


@admin.register(Group)
class TeamAdmin(GroupAdmin):
    """Groups own items and domains. Rights come from roles alone, so none are here."""

    fields = ("name",)


def _revoke(request: HttpRequest, ids: list[Any], data: dict[str, Any]) -> int:
    return tokens.revoke_all(ids, timezone.now())


@admin.register(AccessToken)
class AccessTokenAdmin(HubPages):
    actions = [
        action(
            Bulk(
                "revoke",
                "Revoke",
                _revoke,
                "revoked",
                "Programs that use them are refused from now on, for good.",
            )
        )
    ]
    list_display = ("name", "hint", "user", "created_at", "last_used_at", "revoked_at")
    list_filter = (("revoked_at", admin.EmptyFieldListFilter),)
    search_fields = ("name", "hint", "user__username")
    fields = ("user", "name", "hint", "created_at", "last_used_at", "revoked_at")
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).select_related("user").defer("digest")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """A token is made in settings or by `create_token`: its secret shows once."""
        return False
