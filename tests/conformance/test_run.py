"""A run: each probe ends in one way, and a network that fails is the failure of one probe."""

from __future__ import annotations

from tests.conformance.wrong_gateways import gateway_behind
from wallet_gateway.conformance.gateway import Gateway
from wallet_gateway.conformance.registry import Area
from wallet_gateway.conformance.results import Failed, Finding, Skipped
from wallet_gateway.conformance.run import Result, run
from wallet_gateway.conformance.wire import HttpWire, Unreachable

area = Area("ends")


@area.probe("passes", section="x")
def passes(gateway: Gateway) -> None:
    """It passes."""


@area.probe("fails", section="x")
def fails(gateway: Gateway) -> None:
    """It fails."""
    raise Failed("no")


@area.probe("skips", section="x")
def skips(gateway: Gateway) -> None:
    """It skips."""
    raise Skipped("needs more")


@area.probe("breaks", section="x")
def breaks(gateway: Gateway) -> None:
    """It breaks."""
    raise Unreachable("it hung up")


@area.probe("reports", section="x")
def reports(gateway: Gateway) -> Finding:
    """It reports."""
    return Finding("so", {"SHARES_REFERENCES": True})


def test_each_end_is_told_as_soon_as_it_is_there(sandbox_url: str) -> None:
    told: list[Result] = []
    results = run(area.probes, gateway_behind(HttpWire(sandbox_url), sandbox_url), on_result=told.append)
    assert told == results
    assert [(str(result.outcome), result.text) for result in results] == [
        ("passed", ""),
        ("failed", "no"),
        ("skipped", "needs more"),
        ("failed", "it hung up"),
        ("reported", "so"),
    ]
    assert results[-1].settings == {"SHARES_REFERENCES": True}
