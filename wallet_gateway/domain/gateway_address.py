"""Where a gateway is called, as an error names it: the base URL, and how to start what should answer there.

Only the sandbox of the shop's own machine has a command that starts it.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

SANDBOX_COMMAND = "python -m wallet_gateway.sandbox"
SANDBOX_PORT = 8001
"""The port on which the sandbox listens where none is given."""


@dataclass(frozen=True, slots=True)
class GatewayAddress:
    """The base URL of a gateway, which holds no secret; `str` is the URL alone."""

    url: str
    start_command: str = ""
    """The command that starts the sandbox at this address; empty for any other gateway."""

    def __str__(self) -> str:
        return self.url


UNKNOWN_ADDRESS = GatewayAddress("?")
"""The address of a gateway without a base URL, such as one that a test has made."""


def sandbox_address(url: str) -> GatewayAddress:
    """Return the address of a sandbox on this machine, with the command that starts it."""
    port = urlsplit(url).port
    option = "" if port in {None, SANDBOX_PORT} else f" --port {port}"
    return GatewayAddress(url, SANDBOX_COMMAND + option)
