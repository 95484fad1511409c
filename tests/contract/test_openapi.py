"""The server's description of itself, and whether it answers as that says."""

from typing import Any

import pytest
from schemathesis import Case, openapi
from schemathesis.checks import not_a_server_error
from schemathesis.config import GenerationConfig
