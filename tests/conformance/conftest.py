"""A sandbox for the kit, as new for each test file."""

from __future__ import annotations

import pytest

from wallet_gateway.testing.sandbox import SandboxServer


@pytest.fixture(scope="module")
def sandbox_url(wallet_sandbox_server: SandboxServer) -> str:
    """Where a sandbox answers, in which nothing has happened yet."""
    wallet_sandbox_server.control.reset()
    return wallet_sandbox_server.base_url
