"""Who asks. Every service takes a `Viewer`, never a request or a user."""

from dataclasses import dataclass

from accounts.enums import Role
from core.errors import NotAllowed


@dataclass(frozen=True)
class Viewer:
    """`user_id` is None for the hub itself (commands, nightly jobs)."""

    user_id: int | None
    role: Role
    name: str = ""

    @classmethod
    def system(cls) -> "Viewer":
        return cls(user_id=None, role=Role.ADMIN, name="Knowledge Hub")

    @property
    def can_edit(self) -> bool:
        return self.role in (Role.EDITOR, Role.ADMIN)

    @property
    def can_govern(self) -> bool:
        return self.role == Role.ADMIN

    @property
    def sees_drafts(self) -> bool:
        return self.can_edit

    @property
    def limit_key(self) -> str:
        """The key under which this viewer's calls are counted on every surface."""
        return f"user:{self.user_id}"

    def person(self) -> int:
        """The user's id, for what only people have: presets, recent searches."""
        if self.user_id is None:
            raise NotAllowed("Only people can do this.")
        return self.user_id

    def require_editor(self) -> None:
        if not self.can_edit:
            raise NotAllowed("Editors and admins can do this. Ask one of them.")

    def require_admin(self) -> None:
        if not self.can_govern:
            raise NotAllowed("Only admins can do this. Ask one of them.")
