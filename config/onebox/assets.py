"""Static files, collected again only when some file has changed: hashing and
compressing them all takes seconds."""

import hashlib
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command

from config.onebox.locks import locked


def collect_if_changed() -> None:
    root = Path(settings.STATIC_ROOT)
    stamp = root / ".collected"
    with locked(root / ".lock", timeout=300):
        current = _fingerprint()
        if stamp.exists() and stamp.read_text() == current:
            return
        stamp.unlink(missing_ok=True)
        call_command("collectstatic", interactive=False, verbosity=0)
        stamp.write_text(current)


def _fingerprint() -> str:
    digest = hashlib.sha256(str(settings.STORAGES["staticfiles"]).encode())
    for finder in get_finders():
        for path, storage in finder.list([]):
            found = Path(storage.path(path)).stat()
            digest.update(f"{path}\0{found.st_size}\0{found.st_mtime_ns}\n".encode())
    return digest.hexdigest()
