"""Rights follow from the role: admins may do all, editors work on content."""

from django.contrib.auth.backends import ModelBackend
from django.db.models import Model

from accounts.enums import Role
from accounts.models import User

# What editors may do in admin. Deleting is archiving, so there is no "delete".
_EDITOR_VERBS = ("view", "add", "change")
_EDITOR_APPS = ("kb",)
_EDITOR_READS = ("kb.view_jobrun", "kb.view_itemindex", "kb.view_contentchunk")
_EDITOR_NEVER = ("jobrun", "itemindex", "itemterms", "contentchunk", "termstatistic")


class RoleBackend(ModelBackend):
    def has_perm(self, user_obj: object, perm: str, obj: Model | None = None) -> bool:
        if not isinstance(user_obj, User) or not user_obj.is_active:
            return False
        if user_obj.role == Role.ADMIN:
            return True
        return user_obj.role == Role.EDITOR and editor_may(perm)

    def has_module_perms(self, user_obj: object, app_label: str) -> bool:
        if not isinstance(user_obj, User) or not user_obj.is_active:
            return False
        return user_obj.role == Role.ADMIN or (
            user_obj.role == Role.EDITOR and app_label in _EDITOR_APPS
        )


def editor_may(perm: str) -> bool:
    app, _, codename = perm.partition(".")
    verb, _, model = codename.partition("_")
    if perm in _EDITOR_READS:
        return True
    return app in _EDITOR_APPS and verb in _EDITOR_VERBS and model not in _EDITOR_NEVER
