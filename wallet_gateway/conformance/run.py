"""Runs probes one after another, and tells beforehand what they need of the gateway."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from wallet_gateway.conformance import messages
from wallet_gateway.conformance.gateway import Gateway
from wallet_gateway.conformance.registry import Probe
from wallet_gateway.conformance.results import Failed, Finding, Outcome, SettingValue, Skipped
from wallet_gateway.conformance.target import Unusable
from wallet_gateway.conformance.wire import Unreachable


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One probe with its end."""

    probe: Probe
    outcome: Outcome
    text: str = ""
    """The contradiction, the reason for skipping, or the finding; empty if the probe passed."""
    settings: Mapping[str, SettingValue] = field(default_factory=dict)
    seconds: float = 0.0


def check_service(gateway: Gateway, url: str) -> None:
    """Ask two harmless questions; raises Unusable if nothing answers, or a web site does."""
    try:
        answer = gateway.status(gateway.reference())
        if not answer.is_json:
            answer = gateway.checkout(messages.checkout(gateway.account, gateway.reference()))
    except Unreachable as error:
        raise Unusable(f"{error}.") from error
    except Skipped as error:
        raise Unusable(f"{url} cannot be tested now: {error}.") from error
    if not answer.is_json:
        raise Unusable(
            f"{url} is not the service: it answers {answer}, not JSON;"
            " give the gateway's base URL, to which /api/v5/ is added."
        )


def run(
    probes: Iterable[Probe], gateway: Gateway, *, on_result: Callable[[Result], None] = lambda _: None
) -> list[Result]:
    """Carry out each probe and return its results, telling each as soon as it is there."""
    results = []
    for probe in probes:
        begun = time.monotonic()
        try:
            finding = probe.check(gateway, *probe.given)
            outcome, found = (Outcome.REPORTED, finding) if finding else (Outcome.PASSED, Finding(""))
        except (Failed, Unreachable) as error:
            outcome, found = Outcome.FAILED, Finding(str(error))
        except Skipped as error:
            outcome, found = Outcome.SKIPPED, Finding(str(error))
        seconds = time.monotonic() - begun
        end = Result(probe=probe, outcome=outcome, text=found.text, settings=found.settings, seconds=seconds)
        results.append(end)
        on_result(end)
    return results
