"""The project's settings with a bank that does not answer."""

from console.settings import *  # noqa: F403

MEMORY_BANK_SERVER = "tests.views.servers.unavailable"
