"""Settings of the hub, read from the environment and grouped by room.

`.env.local`, then `.env`, are looked for from the project upwards; neither overrides
what is already set. Every name is listed in `.env.example`.
"""

import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import django_stubs_ext
import environ

from config import onebox
from core.patience import PatientConnection

# Makes ModelAdmin and friends subscriptable at run time, for the type annotations.
django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parent.parent

env = environ.Env()


def _read_env_files() -> None:
    for name in (".env.local", ".env"):
        for folder in (BASE_DIR, *BASE_DIR.parents):
            if (folder / name).is_file():
                env.read_env(folder / name, overwrite=False)
                break


_read_env_files()

# --- config: the house ------------------------------------------------------------

DATA_DIR = Path(env.str("HUB_DATA_DIR", default=str(BASE_DIR / "var"))).resolve()
ONEBOX = onebox.Layout.of(DATA_DIR)

DEBUG = env.bool("DEBUG", default=False)
PUBLIC_URL = env.str("PUBLIC_URL", default="")
SECRET_KEY = env.str("SECRET_KEY", default="") or onebox.secret_key(ONEBOX)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
APPEND_SLASH = False
LANGUAGE_CODE = "en-gb"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.postgres",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "template_partials",
    "simple_history",
    "django_celery_beat",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "oauth2_provider",
    "core",
    "accounts",
    "kb",
    "search",
    "operational",
    "browse",
    "config.apps.ConfigAppConfig",
    "config.apps.HubAdminConfig",
]

MIDDLEWARE = [
    "core.requests.RequestIdMiddleware",
    "core.patience.PatienceMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "core.outages.OutageMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "accounts.middleware.ViewerMiddleware",
    "simple_history.middleware.HistoryRequestMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "core.context.page",
            ],
        },
    }
]

# PgBouncer-safe: no server-side cursors or bindings, connections from psycopg's pool.
_DATABASE_URL = env.str("DATABASE_URL", default="")
DATABASES: dict[str, dict[str, Any]] = {
    "default": env.db_url_config(_DATABASE_URL)
    if _DATABASE_URL
    else onebox.database(ONEBOX)
}
DATABASES["default"] |= {
    "ENGINE": "django.db.backends.postgresql",
    "CONN_MAX_AGE": 0,
    # Of pooled connections too: after a restart of the server none of them works.
    "CONN_HEALTH_CHECKS": True,
    "DISABLE_SERVER_SIDE_CURSORS": True,
}
DATABASES["default"].setdefault("OPTIONS", {}).update(
    {
        "pool": {
            "min_size": 0,
            "max_size": env.int("DATABASE_POOL_SIZE", default=8),
            "timeout": 4,
            # Tried anew by the next request: the back-off would outlast an outage.
            "reconnect_timeout": 2,
            "connection_class": PatientConnection,
        },
        "connect_timeout": 3,
        "application_name": "knowledge-hub",
    }
)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = env.str("REDIS_URL", default="") or onebox.redis_url(ONEBOX)
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "hub",
        "OPTIONS": {"socket_connect_timeout": 0.4, "socket_timeout": 0.4},
    }
}

CELERY_BROKER_URL = env.str("CELERY_BROKER_URL", default="") or onebox.broker_url(
    REDIS_URL
)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 3600,
    "socket_connect_timeout": 1,
    "socket_timeout": 5,
    # A save with the broker down would wait six seconds for the retries.
    "max_retries": 0,
}
CELERY_TASK_PUBLISH_RETRY = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BEAT_SCHEDULER = "django_celery_beat.schedulers:DatabaseScheduler"
CELERY_TIMEZONE = "UTC"

STATIC_URL = "/static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "core.static.HubStaticStorage"},
}
WHITENOISE_USE_FINDERS = DEBUG
MEDIA_ROOT = DATA_DIR / "media"
MEDIA_URL = "/media/"

# --- core: security, limits, logs -------------------------------------------------

HTTPS = env.bool("HTTPS", default=False)
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
SECURE_HSTS_PRELOAD = HTTPS
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SECURE = HTTPS
SESSION_COOKIE_AGE = int(timedelta(days=14).total_seconds())
CSRF_COOKIE_SECURE = HTTPS
CSRF_FAILURE_VIEW = "core.outages.csrf_failure"
X_FRAME_OPTIONS = "DENY"
if env.bool("BEHIND_TLS_PROXY", default=False):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    }
}

# Uploads and API bodies: an import is a file, everything else is small.
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 5_000

# Where mails go: into files of the data folder until EMAIL_URL names a server.
_EMAIL = (
    env.email_url("EMAIL_URL")
    if env.str("EMAIL_URL", default="")
    else {
        "EMAIL_BACKEND": "django.core.mail.backends.filebased.EmailBackend",
        "EMAIL_FILE_PATH": str(DATA_DIR / "mail"),
    }
)
vars().update({name: value for name, value in _EMAIL.items() if value is not None})
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env.str("MAIL_FROM", default="Knowledge Hub <hub@localhost>")
SERVER_EMAIL = DEFAULT_FROM_EMAIL

RATELIMIT_ENABLE = True
LOG_LEVEL = env.str("LOG_LEVEL", default="INFO")
LOG_FORMAT = env.str("LOG_FORMAT", default="json")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"request": {"()": "core.logs.RequestIdFilter"}},
    "formatters": {
        "json": {"()": "core.logs.JsonFormatter"},
        "text": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": LOG_FORMAT,
            "filters": ["request"],
        }
    },
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    "loggers": {
        "django.request": {"level": "ERROR"},
        "httpx": {"level": "WARNING"},
        "httpx2": {"level": "WARNING"},
        "mcp": {"level": "WARNING"},
        "openai": {"level": "WARNING"},
    },
}

# django-ratelimit asks for a cache with atomic increments and knows only some of them
# by name; Django's own Redis cache increments atomically.
SILENCED_SYSTEM_CHECKS = ["django_ratelimit.E003", "django_ratelimit.W001"]
if not HTTPS:
    # Plain HTTP is the one-box default; HTTPS=true turns all of these on together.
    SILENCED_SYSTEM_CHECKS += [
        "security.W004",
        "security.W008",
        "security.W012",
        "security.W016",
    ]

REST_FRAMEWORK = {
    # Bearer first: its WWW-Authenticate header is what makes 401 a 401, not a 403.
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "accounts.authentication.BearerAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["core.api.JSONParser"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "core.api.Negotiation",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "core.api.exception_handler",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Knowledge Hub",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "ENUM_NAME_OVERRIDES": {"ReviewStatusEnum": "kb.enums.ReviewStatus"},
}

# --- accounts ---------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["accounts.backends.RoleBackend"]
LOGIN_URL = "accounts:login"
LOGIN_REDIRECT_URL = "browse:home"
LOGOUT_REDIRECT_URL = "accounts:login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
SIGN_IN_FAILURES_PER_NAME = env.int("SIGN_IN_FAILURES_PER_NAME", default=8)
SIGN_IN_FAILURES_PER_ADDRESS = env.int("SIGN_IN_FAILURES_PER_ADDRESS", default=40)

# --- kb: embeddings ---------------------------------------------------------------

OPENAI_API_KEY = env.str("OPENAI_API_KEY", default="")
OPENAI_BASE_URL = env.str("OPENAI_BASE_URL", default="")
EMBEDDING_MODEL = env.str("EMBEDDING_MODEL", default="text-embedding-3-large")
EMBEDDING_DIMENSIONS = env.int("EMBEDDING_DIMENSIONS", default=1024)
EMBEDDING_QUERY_PREFIX = env.str("EMBEDDING_QUERY_PREFIX", default="")
EMBEDDING_PASSAGE_PREFIX = env.str("EMBEDDING_PASSAGE_PREFIX", default="")
EMBEDDING_THRESHOLD = env.float("EMBEDDING_THRESHOLD", default=0.35)
EMBEDDING_QUERY_TIMEOUT = env.float("EMBEDDING_QUERY_TIMEOUT", default=3.0)
EMBEDDING_BATCH_SIZE = env.int("EMBEDDING_BATCH_SIZE", default=16)
EMBEDDER = env.str("EMBEDDER", default="")  # a dotted path, set by tests only
LOCAL_MODEL_DIR = env.str("LOCAL_MODEL_DIR", default="")

# --- kb: summaries ----------------------------------------------------------------

# Without a model, sentences and words are taken from the texts themselves.
CHAT_MODEL = env.str("CHAT_MODEL", default="")
CHAT_BASE_URL = env.str("CHAT_BASE_URL", default=OPENAI_BASE_URL)
CHAT_API_KEY = env.str("CHAT_API_KEY", default=OPENAI_API_KEY)
CHAT_TIMEOUT = env.float("CHAT_TIMEOUT", default=60.0)

# --- search -----------------------------------------------------------------------

SEARCH_STATEMENT_TIMEOUT_MS = env.int("SEARCH_STATEMENT_TIMEOUT_MS", default=4000)
# All that a page reads apart from its search.
PAGE_TIMEOUT_MS = 8_000
SEARCHES_PER_MINUTE = 30
PREVIEWS_PER_MINUTE = 60
# How long searches are remembered; 0 keeps no log of them.
SEARCH_LOG_DAYS = env.int("SEARCH_LOG_DAYS", default=90)
# `host[:port]/name`, by which `kb_search --env=prod` knows the production database.
PRODUCTION_DATABASE = env.str("PRODUCTION_DATABASE", default="")

# --- operational ------------------------------------------------------------------

# Anonymous callers get public entities, and caches may share the answers.
OPERATIONAL_PUBLIC = env.bool("OPERATIONAL_PUBLIC", default=False)
OPERATIONAL_PER_MINUTE = 120

# --- assistants: MCP and OAuth ----------------------------------------------------

# Web pages of other origins that may call /mcp; programs need no entry.
MCP_ALLOWED_ORIGINS = env.list("MCP_ALLOWED_ORIGINS", default=[])
# The rest of the pool's connections are for pages.
MCP_CALLS_AT_ONCE = max(1, DATABASES["default"]["OPTIONS"]["pool"]["max_size"] * 3 // 4)
OAUTH_SCOPE = "read"
OAUTH2_PROVIDER = {
    "SCOPES": {OAUTH_SCOPE: "Search and read what you may see, as you."},
    "OIDC_ISS_ENDPOINT": PUBLIC_URL.rstrip("/"),
    "ACCESS_TOKEN_EXPIRE_SECONDS": int(timedelta(hours=1).total_seconds()),
    "REFRESH_TOKEN_EXPIRE_SECONDS": int(timedelta(days=90).total_seconds()),
    "REFRESH_TOKEN_REUSE_PROTECTION": True,
    # Plain HTTP for programs on the same machine alone: `accounts.oauth.bad_redirect`.
    "ALLOWED_REDIRECT_URI_SCHEMES": [
        "https",
        "http",
        *env.list(
            "OAUTH_APP_SCHEMES",
            default=["cursor", "vscode", "vscode-insiders", "windsurf"],
        ),
    ],
    "ALLOW_LOCALHOST_LOOPBACK": True,
    "DCR_ENABLED": True,
    "DCR_REGISTRATION_PERMISSION_CLASSES": [
        "oauth2_provider.dcr.AllowAllDCRPermission"
    ],
    "CIMD_ENABLED": env.bool("OAUTH_CLIENT_DOCUMENTS", default=False),
    "OAUTH2_RESPONSE_TYPES_SUPPORTED": ["code"],
    "OAUTH2_GRANT_TYPES_SUPPORTED": ["authorization_code", "refresh_token"],
    "OAUTH2_TOKEN_ENDPOINT_AUTH_METHODS_SUPPORTED": [
        "none",
        "client_secret_post",
        "client_secret_basic",
    ],
    "OAUTH2_PROTECTED_RESOURCE_NAME": "Knowledge Hub",
    **{
        f"COMPLIANT_BCP_RFC9700_{name}": True
        for name in (
            "IMPLICIT_GRANT",
            "PASSWORD_GRANT",
            "PKCE_METHOD",
            "ACCESS_TOKEN_TRANSPORT",
            "AUTHZ_RESPONSE_ISS",
            "TOKEN_STORAGE",
            "REFRESH_TOKEN",
            "REDIRECT_URI_MATCHING",
            "PKCE_REQUIRED",
        )
    },
}
# Programs on the same machine take their codes over plain HTTP.
SILENCED_SYSTEM_CHECKS += ["oauth2_provider.W008"]

TESTING = "pytest" in sys.modules
