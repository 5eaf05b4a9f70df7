"""The suite's settings with the pool of connections that the hub runs with."""

from config.settings import DATABASES

_POOL = DATABASES["default"]["OPTIONS"]["pool"]

from config.settings_test import *  # noqa: E402, F403

DATABASES["default"]["OPTIONS"]["pool"] = _POOL
