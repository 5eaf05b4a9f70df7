"""Loads the project's own sample graph. What is there already stays as it is."""

from pathlib import Path

from django.db import transaction

from accounts.viewer import Viewer
from core.errors import Conflict
from operational.importers.service import import_paths
from operational.models import Entity

FOLDER = Path(__file__).parent / "graph"


def load() -> int:
    """How many entities were created, all or none; 0 where the graph has any of its
    own or the sample was loaded before."""
    with transaction.atomic():
        if Entity.objects.exists():
            return 0
        report = import_paths(Viewer.system(), [FOLDER], reason="Sample")
        if report.problems:
            raise Conflict(f"The sample cannot be loaded: {report.problems[0]}")
    return len(report.created)
