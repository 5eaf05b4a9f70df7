"""Settings of the test suite: real PostgreSQL, no provider, no shared cache."""

import os
from pathlib import Path

os.environ.setdefault(
    "HUB_DATA_DIR", str(Path(__file__).resolve().parent.parent / "var" / "tests")
)

from config.settings import *  # noqa: F403
from config.settings import DATABASES, MIDDLEWARE, REST_FRAMEWORK, STORAGES

EMBEDDER = "tests.embedder.HashEmbedder"
OPENAI_API_KEY = OPENAI_BASE_URL = ""
CHAT_MODEL = CHAT_BASE_URL = CHAT_API_KEY = ""
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
CELERY_BROKER_URL = "memory://"
STORAGES |= {
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
}
# The test server finds static files itself; whitenoise would want them collected.
MIDDLEWARE.remove("whitenoise.middleware.WhiteNoiseMiddleware")
# A pool outlives the test database; tests connect and close.
DATABASES["default"]["OPTIONS"].pop("pool", None)
REST_FRAMEWORK |= {"TEST_REQUEST_DEFAULT_FORMAT": "json"}
LOG_FORMAT = "text"
