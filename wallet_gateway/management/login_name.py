"""Who runs a command, for what a person decides by it."""

from __future__ import annotations

import os
from getpass import getuser


def login_name() -> str:
    """Return the login name of the process's user; where it has none, as in many containers, its number."""
    try:
        name = getuser()
    # Python 3.13 made one error of these.
    except (KeyError, ImportError, OSError):
        name = ""
    # A name of the environment may be blank, or bytes that are not UTF-8.
    storable = name.encode("utf-8", "replace").decode().strip()
    return storable or f"user {os.getuid() if hasattr(os, 'getuid') else 'without a name'}"
