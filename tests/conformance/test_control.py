"""The control interface is found where there is one, with its key if it wants one."""

from __future__ import annotations

import pytest

from wallet_gateway.conformance.control import find_control
from wallet_gateway.conformance.results import Skipped
from wallet_gateway.conformance.target import SANDBOX_ACCOUNT
from wallet_gateway.conformance.wire import HttpWire
from wallet_gateway.testing.sandbox import SandboxServer


def test_a_sandbox_is_known_by_its_control_interface(sandbox_url: str) -> None:
    control = find_control(HttpWire(sandbox_url), SANDBOX_ACCOUNT, key="not asked for")
    assert control is not None
    assert control.headers == {}, "a key is for a sandbox that asks for it"


def test_a_sandbox_with_a_key_is_given_it() -> None:
    with SandboxServer(control_key="secret") as server:
        wire = HttpWire(server.base_url)
        control = find_control(wire, SANDBOX_ACCOUNT, key="secret")
        assert find_control(wire, SANDBOX_ACCOUNT, key="another") is None
        assert find_control(wire, SANDBOX_ACCOUNT) is None
    assert control is not None
    assert "secret" not in repr(control)


def test_any_other_gateway_has_none(sandbox_url: str) -> None:
    assert find_control(HttpWire(f"{sandbox_url}/elsewhere"), SANDBOX_ACCOUNT) is None
    assert find_control(HttpWire("http://127.0.0.1:9"), SANDBOX_ACCOUNT) is None


def test_what_the_sandbox_does_not_do_skips_a_probe(sandbox_url: str) -> None:
    control = find_control(HttpWire(sandbox_url), SANDBOX_ACCOUNT)
    assert control
    with pytest.raises(Skipped, match="control interface answered HTTP 404"):
        control.complete_checkout("never-opened")
