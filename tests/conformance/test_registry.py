"""Probes are written down once, and chosen by area, group or name."""

from __future__ import annotations

import pytest

from tests.conformance.wrong_gateways import gateway_behind
from wallet_gateway.conformance.gateway import Gateway
from wallet_gateway.conformance.registry import Area, select
from wallet_gateway.conformance.results import Failed
from wallet_gateway.conformance.run import carry_out
from wallet_gateway.conformance.wire import HttpWire


def area() -> Area:
    made = Area("tea")

    @made.probe("hot", section="Tea")
    def hot(gateway: Gateway) -> None:
        """Tea is hot.

        This is a remark.
        """

    @made.probe_each("with.{}", ("milk", "lemon"), section="Tea", moves_money=True)
    def with_something(gateway: Gateway, what: str) -> None:
        """Tea is drunk with {}."""
        raise Failed(what)

    return made


def test_a_probe_has_its_area_and_the_first_line_of_its_docstring() -> None:
    hot, milk, lemon = area().probes
    assert (hot.name, hot.section, hot.title, hot.moves_money) == ("tea.hot", "Tea", "Tea is hot.", False)
    assert (milk.name, milk.title, milk.moves_money) == ("tea.with.milk", "Tea is drunk with milk.", True)
    assert lemon.name == "tea.with.lemon"


def test_a_repeated_probe_is_given_its_value(sandbox_url: str) -> None:
    gateway = gateway_behind(HttpWire(sandbox_url), sandbox_url)
    assert [carry_out(probe, gateway).text for probe in area().probes] == ["", "milk", "lemon"]


def test_probes_are_chosen_by_area_group_and_name() -> None:
    probes = area().probes
    assert select(probes, []) == probes
    assert select(probes, ["tea"]) == probes
    assert [probe.name for probe in select(probes, ["tea.with"])] == ["tea.with.milk", "tea.with.lemon"]
    assert [probe.name for probe in select(probes, ["tea.with.lemon", "tea.hot"])] == [
        "tea.hot",
        "tea.with.lemon",
    ]
    with pytest.raises(LookupError, match=r"tea\.wi"):
        select(probes, ["tea.wi"])
