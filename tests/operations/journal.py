"""What the sandbox's journal says was sent."""

from __future__ import annotations

from typing import Any

from wallet_gateway.testing.control import SandboxControl


def sent(control: SandboxControl, operation: str = "authorization") -> list[dict[str, Any]]:
    """Return the bodies of the requests of one operation, the oldest first."""
    return [entry["body"] for entry in control.journal() if entry["operation"] == operation]


def times_sent(control: SandboxControl, operation: str) -> int:
    """Return how many requests of one operation reached the gateway."""
    return len(sent(control, operation))


def queries(control: SandboxControl) -> int:
    """Return how many status queries reached the gateway."""
    return times_sent(control, "status")


def asked_about(control: SandboxControl) -> list[str]:
    """Return the reference of each status query, the oldest first."""
    paths = [entry["path"] for entry in control.journal() if entry["operation"] == "status"]
    return [path.rsplit("=", 1)[-1] for path in paths]


def bodies(control: SandboxControl) -> list[dict[str, Any]]:
    """Return the bodies of the checkouts, the oldest first."""
    return sent(control, "checkout")


def posts(control: SandboxControl) -> list[dict[str, Any]]:
    """Return the follow-ups and detached refunds, the oldest first."""
    return [entry for entry in control.journal() if entry["path"] == "/api/v5/apmTransactions"]
