"""Domains by name: found without regard to case and accents, or made."""

from collections.abc import Iterable

from django.db import IntegrityError, transaction

from accounts.viewer import Viewer
from core.text import fold
from kb.domain import history
from kb.models import Domain


def ensure_domains(
    viewer: Viewer, names: Iterable[str], reason: str = ""
) -> dict[str, Domain]:
    """A domain for each of `names`; missing ones are created."""
    viewer.require_editor()
    names = list(names)
    known = _by_fold()
    missing = {fold(name): name for name in names if fold(name) not in known}
    if missing:
        new = [Domain(name=name) for name in missing.values()]
        try:
            with transaction.atomic():
                history.create(viewer, new, reason)
        except IntegrityError:
            # Somebody else made one of them meanwhile: look again.
            return ensure_domains(viewer, names, reason)
        known = _by_fold()
    return {name: known[fold(name)] for name in names}


def missing_domains(names: Iterable[str]) -> list[str]:
    """Those of `names` that `ensure_domains` would create."""
    known = _by_fold()
    wanted = {fold(name): name for name in names}
    return [name for key, name in wanted.items() if key not in known]


def _by_fold() -> dict[str, Domain]:
    return {fold(domain.name): domain for domain in Domain.objects.order_by("-pk")}
