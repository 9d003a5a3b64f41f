"""Whether this process runs a project's tests, where Django sets `DEBUG` to False on every machine."""

from __future__ import annotations

from typing import Final

from django.core import mail

HOW_TO_TEST: Final = (
    "Tests run with DEBUG off, so the sandbox is not assumed: let the test use the fixture wallet_sandbox, "
    "or WalletSandboxMixin of wallet_gateway.testing without pytest"
)


class SetByTests(str):
    """A text of the settings that a fixture or the mixin has put there for the time of a test.

    It goes with the settings it stands in, so nothing is left of it when these are put back.
    """

    __slots__ = ()


def is_test_run() -> bool:
    """Return whether Django's test environment is set up: only then mail has an ``outbox``."""
    return hasattr(mail, "outbox")


def is_set_by_tests(value: object) -> bool:
    """Return whether a value of the settings, or a value in it, was put there for a test."""
    if isinstance(value, dict):
        return any(map(is_set_by_tests, value.values()))
    return isinstance(value, SetByTests) and is_test_run()
