"""The project's settings, with state in a folder that goes when the tests end."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

_folder = tempfile.mkdtemp(prefix="memory-bank-tests-")
atexit.register(shutil.rmtree, _folder, ignore_errors=True)
os.environ["DATA_DIR"] = _folder
for _name in ("HOST", "PORT", "HTTPS", "ALLOWED_HOSTS"):
    os.environ.pop(_name, None)

from console.settings import *  # noqa: E402, F403

ALLOWED_HOSTS = ["testserver", "127.0.0.1", "localhost"]
# Slow on purpose everywhere else.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# Hashed names need files that were collected; test_serve.py has them.
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = True
Path(_folder, "static").mkdir()  # whitenoise warns where it is missing
