"""An address names itself, and the sandbox's names the command that starts it there."""

from __future__ import annotations

import pytest

from wallet_gateway.domain.gateway_address import GatewayAddress, sandbox_address


def test_an_address_is_written_as_its_url_alone() -> None:
    assert str(sandbox_address("http://127.0.0.1:8001")) == "http://127.0.0.1:8001"
    assert GatewayAddress("https://gateway.example").start_command == ""


@pytest.mark.parametrize(
    ("url", "command"),
    [
        ("http://127.0.0.1:8001", "python -m wallet_gateway.sandbox"),
        ("http://localhost:8001/", "python -m wallet_gateway.sandbox"),
        ("http://127.0.0.1:9000", "python -m wallet_gateway.sandbox --port 9000"),
    ],
)
def test_the_command_starts_the_sandbox_on_the_port_of_the_address(url: str, command: str) -> None:
    assert sandbox_address(url).start_command == command
