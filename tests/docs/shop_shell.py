"""The shell of a shop, `python -m tests.docs.shop_shell`: runs steps that it reads, one JSON object a line.

It answers each with a line of JSON: the traceback, or an empty text. The shop has its own settings and its
own database. Only the port of the sandbox is not the default one, so that tests can run side by side.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

import django

from tests.docs.pages import Step

if TYPE_CHECKING:
    from tests.docs.inside import Session


class _ShopSettings:
    """Sets a setting and tells so, as Django's own overrides do; the process ends with the page."""

    def __setattr__(self, name: str, value: object) -> None:
        from django.conf import settings
        from django.core.signals import setting_changed

        setattr(settings, name, value)
        setting_changed.send(sender=type(self), setting=name, value=value, enter=True)


def _session(sandbox: str) -> Session:
    django.setup()
    from django.test import Client

    from tests.docs.inside import SANDBOX, Session
    from wallet_gateway import conf
    from wallet_gateway.testing.control import SandboxControl

    conf.SANDBOX["GATEWAYS"]["default"]["BASE_URL"] = sandbox
    names: dict[str, Any] = {
        "sandbox": SandboxControl(sandbox),
        "client": Client(SERVER_NAME="127.0.0.1", SERVER_PORT="8000"),
        "__name__": "shop_session",
    }
    return Session(Path.cwd(), _ShopSettings(), names=names, origins={SANDBOX: sandbox})  # type: ignore[arg-type]


def main() -> None:
    """Run the steps of standard input until it ends."""
    session = _session(os.environ["DOCS_SANDBOX"])
    for line in sys.stdin:
        fault = ""
        # What a block prints is not an answer.
        with contextlib.redirect_stdout(sys.stderr):
            try:
                session.follow(Step(**json.loads(line)))
            except BaseException:  # noqa: BLE001 - told to the test, which fails
                fault = traceback.format_exc()
        sys.stdout.write(json.dumps(fault) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
