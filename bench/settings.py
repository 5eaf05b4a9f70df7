"""Settings of the benchmarks: the hub's own, a data folder and databases apart from
anybody's library, no shared cache, no broker."""

import os
from pathlib import Path

CACHE = Path(__file__).resolve().parent / "cache"
RESULTS = CACHE.parent / "results"
os.environ |= {
    "HUB_DATA_DIR": str(CACHE / "hub"),
    "LOG_LEVEL": "ERROR",
    "LOG_FORMAT": "text",
}

from config.settings import *  # noqa: E402, F403
from config.settings import DATABASES  # noqa: E402

EMBEDDER = "bench.embedder.CachedEmbedder"
OPENAI_API_KEY = OPENAI_BASE_URL = ""
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
CELERY_BROKER_URL = "memory://"
DATABASES["default"]["OPTIONS"].pop("pool", None)
SERVED = DATABASES["default"]["NAME"]  # never touched; scratch ones are named after it
# Connections last: a thread of the benchmark stands for a connection of a pool.
DATABASES["default"]["CONN_MAX_AGE"] = None
