"""Rights follow from the role: admins may do all, editors work on content."""

from django.contrib.auth.backends import ModelBackend
from django.db.models import Model

from accounts.enums import Role
from accounts.models import User

_WRITE = ("view", "add", "change")

# What editors may do in admin, by model. How domains are reviewed is for admins, and
# so is who read what. Deleting is archiving: nobody has "delete" (`core.admin_site`).
EDITOR_RIGHTS: dict[str, tuple[str, ...]] = {
    "kb.contentitem": _WRITE,
    "kb.workspace": _WRITE,
    "kb.formquestion": _WRITE,
    "kb.formresponse": _WRITE,
    "kb.citation": ("view", "add"),
    "kb.domain": ("view",),
    "kb.revision": ("view",),
    "kb.reviewrequest": ("view",),
    "kb.duplicatepair": ("view",),
    "kb.historicalcontentitem": ("view",),
    "kb.contentchunk": ("view",),
    "kb.itemindex": ("view",),
    "kb.jobrun": ("view",),
    "operational.entity": _WRITE,
    "operational.relationship": _WRITE,
    "operational.failure": _WRITE,
    "operational.symptom": _WRITE,
    "operational.pattern": _WRITE,
    "operational.pathway": _WRITE,
    "operational.pathwaystep": _WRITE,
    "operational.failurepoint": _WRITE,
    "operational.feedback": ("view",),
    "operational.missedpaste": ("view",),
}
_EDITOR_APPS = {model.partition(".")[0] for model in EDITOR_RIGHTS}


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
    return verb in EDITOR_RIGHTS.get(f"{app}.{model}", ())
