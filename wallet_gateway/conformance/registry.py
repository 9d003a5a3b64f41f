"""How probes are written down: an area of the document, and the decorators that add a probe to it.

The first line of a probe's docstring is its title. In a probe that is repeated for each of several values, a
pair of braces in name and title stands for the value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from wallet_gateway.conformance.gateway import Gateway
from wallet_gateway.conformance.results import Finding

Check = Callable[[Gateway], Finding | None]
CheckOfValue = Callable[[Gateway, str], Finding | None]
Function = TypeVar("Function", bound=Callable[..., Finding | None])


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One statement of the document that can be seen from outside."""

    name: str
    section: str
    """The section of the document that the statement is in."""
    title: str
    """The statement in one sentence."""
    check: Check
    moves_money: bool


class Area:
    """The probes of one area, in the order in which they run."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.probes: list[Probe] = []

    def probe(self, name: str, *, section: str, moves_money: bool = False) -> Callable[[Function], Function]:
        """Add a probe."""

        def add(check: Function) -> Function:
            self._add(name, section, _title(check), check, moves_money=moves_money)
            return check

        return add

    def probe_each(
        self, name: str, values: Iterable[str], *, section: str, moves_money: bool = False
    ) -> Callable[[CheckOfValue], CheckOfValue]:
        """Add a probe for each value; the function is given the value as its second argument."""

        def add(check: CheckOfValue) -> CheckOfValue:
            for value in values:
                title = _title(check).replace("{}", value)
                of_value = partial(_call, check, value)
                self._add(name.replace("{}", value), section, title, of_value, moves_money=moves_money)
            return check

        return add

    def _add(self, name: str, section: str, title: str, check: Check, *, moves_money: bool) -> None:
        self.probes.append(
            Probe(
                name=f"{self.name}.{name}",
                section=section,
                title=title,
                check=check,
                moves_money=moves_money,
            )
        )


def _title(check: Callable[..., Finding | None]) -> str:
    # Under `python -OO` there are no docstrings.
    return (check.__doc__ or check.__name__.replace("_", " ")).partition("\n")[0]


def _call(check: CheckOfValue, value: str, gateway: Gateway) -> Finding | None:
    return check(gateway, value)


def select(probes: Iterable[Probe], wanted: Iterable[str]) -> list[Probe]:
    """Return the probes of some areas, groups or names, all if none is given; raises LookupError."""
    known, chosen = list(probes), tuple(wanted)
    for prefix in chosen:
        if not any(_is_below(probe, prefix) for probe in known):
            raise LookupError(prefix)
    return [probe for probe in known if not chosen or any(_is_below(probe, each) for each in chosen)]


def _is_below(probe: Probe, prefix: str) -> bool:
    return probe.name == prefix or probe.name.startswith(f"{prefix}.")
