"""Runs inside the shop what is sent to it: one process for all errands, since Django takes a second to start.

A line of JSON in, the code; a line of JSON out, what went wrong, or nothing.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from contextlib import redirect_stdout

import django


def main() -> None:
    """Run each piece of code as though it were alone in a file."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "example_project.settings"
    django.setup()
    for line in sys.stdin:
        print(json.dumps(_fault_of(json.loads(line))), flush=True)  # noqa: T201 - this is the answer


def _fault_of(code: str) -> str:
    try:
        with redirect_stdout(sys.stderr):
            exec(code, {"__name__": "__errand__"})
    except Exception:  # noqa: BLE001 - the sender is told
        return traceback.format_exc()
    return ""


if __name__ == "__main__":
    main()
