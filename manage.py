#!/usr/bin/env python3
import os
import sys


def main() -> None:
    if sys.version_info < (3, 12):  # noqa: UP036  # it is what an older one is told
        sys.exit("Python 3.12 or newer is needed; this is " + sys.version.split()[0] + ".")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
