"""Whether this process runs a project's tests, where Django sets `DEBUG` to False on every machine."""

from __future__ import annotations

from typing import Final

from django.core import mail

HOW_TO_TEST: Final = (
    "Tests run with DEBUG off, so the sandbox is not assumed: let the test use the fixture wallet_sandbox, "
    "or WalletSandboxMixin of wallet_gateway.testing without pytest"
)


def is_test_run() -> bool:
    """Return whether Django's test environment is set up: only then mail has an ``outbox``."""
    return hasattr(mail, "outbox")
