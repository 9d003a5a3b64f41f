"""The control interface is found where there is one, with its key if it wants one."""

from __future__ import annotations

import pytest

from wallet_gateway.conformance.control import find_control
from wallet_gateway.conformance.results import Skipped
from wallet_gateway.conformance.target import SANDBOX_ACCOUNT
from wallet_gateway.conformance.wire import HttpWire


def test_a_sandbox_is_known_by_its_control_interface(sandbox_url: str) -> None:
    control = find_control(HttpWire(sandbox_url), SANDBOX_ACCOUNT, key="not asked for")
    assert control is not None
    assert "not asked for" not in repr(control)


def test_any_other_gateway_has_none(sandbox_url: str) -> None:
    assert find_control(HttpWire(f"{sandbox_url}/elsewhere"), SANDBOX_ACCOUNT) is None
    assert find_control(HttpWire("http://127.0.0.1:9"), SANDBOX_ACCOUNT) is None


def test_what_the_sandbox_does_not_do_skips_a_probe(sandbox_url: str) -> None:
    control = find_control(HttpWire(sandbox_url), SANDBOX_ACCOUNT)
    assert control
    with pytest.raises(Skipped, match="control interface answered HTTP 404"):
        control.complete_checkout("never-opened")
