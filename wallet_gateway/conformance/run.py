"""Runs probes one after another, and tells beforehand what they need of the gateway."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from wallet_gateway.conformance import messages
from wallet_gateway.conformance.gateway import Gateway
from wallet_gateway.conformance.registry import Probe
from wallet_gateway.conformance.results import Failed, Outcome, SettingValue, Skipped
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
        answers = [gateway.status(gateway.reference())]
        if not answers[0].is_json:
            body = messages.checkout(gateway.account, gateway.reference())
            answers.append(gateway.checkout(body))
    except Unreachable as error:
        raise Unusable(f"{error}.") from error
    except Skipped as error:
        raise Unusable(f"{url} cannot be tested now: {error}.") from error
    if not any(answer.is_json for answer in answers):
        raise Unusable(
            f"{url} is not the service: it answers {answers[-1]}, not JSON;"
            " give the gateway's base URL, to which /api/v5/ is added."
        )


def run(
    probes: Iterable[Probe], gateway: Gateway, *, on_result: Callable[[Result], None] = lambda _: None
) -> list[Result]:
    """Carry out each probe and return its results, telling each as soon as it is there."""
    results = []
    for probe in probes:
        results.append(carry_out(probe, gateway))
        on_result(results[-1])
    return results


def carry_out(probe: Probe, gateway: Gateway) -> Result:
    """Carry out one probe."""
    begun = time.monotonic()
    outcome, text, settings = Outcome.PASSED, "", {}
    try:
        if (finding := probe.check(gateway)) is not None:
            outcome, text, settings = Outcome.REPORTED, finding.text, dict(finding.settings)
    except Failed as error:
        outcome, text = Outcome.FAILED, str(error)
    except Skipped as error:
        outcome, text = Outcome.SKIPPED, str(error)
    except Unreachable as error:
        outcome, text = Outcome.FAILED, str(error)
    return Result(
        probe=probe, outcome=outcome, text=text, settings=settings, seconds=time.monotonic() - begun
    )
