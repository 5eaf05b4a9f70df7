from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.http import HttpRequest

from accounts.models import AccessToken, User


@admin.register(User)
class HubUserAdmin(UserAdmin):
    list_display = ("username", "display_name", "email", "role", "is_active")
    list_filter = ("role", "primary_focus", "is_active")
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Person", {"fields": ("first_name", "last_name", "email")}),
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
    filter_horizontal = ("groups",)

    def has_delete_permission(
        self, request: HttpRequest, obj: User | None = None
    ) -> bool:
        """People leave by being made inactive: what they wrote stays theirs."""
        return False


@admin.register(AccessToken)
class AccessTokenAdmin(admin.ModelAdmin[AccessToken]):
    list_display = ("name", "hint", "user", "created_at", "last_used_at", "revoked_at")
    list_filter = ("revoked_at",)
    readonly_fields = ("user", "name", "hint", "created_at", "last_used_at")
    exclude = ("digest",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """A token is made in settings or by `create_token`: its secret shows once."""
        return False
