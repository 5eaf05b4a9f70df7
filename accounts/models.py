from typing import Any, ClassVar

from django.conf import settings
from django.contrib.auth.models import AbstractUser, UserManager
from django.db import models
from django.db.models.functions import Lower

from accounts.enums import Digest, Focus, Role
from accounts.viewer import Viewer


class HubUserManager(UserManager["User"]):
    def create_superuser(
        self,
        username: str,
        email: str | None = None,
        password: str | None = None,
        **extra: Any,
    ) -> "User":
        return self.create_user(
            username, email, password, **{**extra, "role": Role.ADMIN}
        )

    def create_user(
        self,
        username: str,
        email: str | None = None,
        password: str | None = None,
        **extra: Any,
    ) -> "User":
        user = self.model(
            username=self.model.normalize_username(username),
            email=self.normalize_email(email),
            **extra,
        )
        user.set_password(password)
        user.save(using=self._db)
        return user


class User(AbstractUser):
    """A person with one role. Rights follow from the role alone (`accounts.backends`),
    so `is_staff` and `is_superuser` are derived and never stored."""

    role = models.CharField(max_length=10, choices=Role, default=Role.VIEWER)
    primary_focus = models.CharField(
        max_length=20, choices=Focus, blank=True, default=""
    )
    digest = models.CharField(
        "mail about what is theirs",
        max_length=10,
        choices=Digest,
        default=Digest.WEEKLY,
    )

    objects: ClassVar[HubUserManager] = HubUserManager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(role__in=Role.values), name="user_role_known"
            ),
            models.CheckConstraint(
                condition=models.Q(digest__in=Digest.values), name="user_digest_known"
            ),
            models.UniqueConstraint(
                Lower("username"),
                name="user_name_in_any_case",
                violation_error_message="There is already a user of this name.",
            ),
        ]

    @property
    def is_staff(self) -> bool:  # type: ignore[override]
        return self.role in (Role.EDITOR, Role.ADMIN)

    @property
    def is_superuser(self) -> bool:  # type: ignore[override]
        return self.role == Role.ADMIN

    def display_name(self) -> str:
        return self.get_full_name() or self.username

    def viewer(self) -> Viewer:
        return Viewer(self.pk, Role(self.role), self.display_name())


class AccessToken(models.Model):
    """A bearer token of one user. Only its hash is stored; `hint` is its first letters,
    so that people recognise it in the list."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="access_tokens"
    )
    name = models.CharField(max_length=80)
    hint = models.CharField(max_length=12)
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.name} ({self.hint}…)"
