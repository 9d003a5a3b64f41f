"""The one table of probes, and the decorator that adds to it.

The first line of a probe's docstring is its title. In a probe that is repeated for each of several values, a
pair of braces in name and title stands for the value, which the function is given as its second argument.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, TypeVar

from wallet_gateway.conformance.results import Finding
from wallet_gateway.conformance.target import Unusable

Function = TypeVar("Function", bound=Callable[..., Finding | None])


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One statement of the document that can be seen from outside."""

    name: str
    section: str
    """The section of the document that the statement is in."""
    title: str
    """The statement in one sentence."""
    check: Callable[..., Finding | None]
    """Is given the gateway, and `given`."""
    given: tuple[str, ...] = ()


PROBES: Final[list[Probe]] = []
"""All probes, in the order in which they run."""


def probe(name: str, values: Iterable[str] | None = None, *, section: str) -> Callable[[Function], Function]:
    """Add a probe, or one for each value."""
    repeated = [()] if values is None else [(value,) for value in values]

    def add(check: Function) -> Function:
        # Under `python -OO` there are no docstrings.
        title = (check.__doc__ or check.__name__.replace("_", " ")).partition("\n")[0]
        for given in repeated:
            own_name, own_title = (text.replace("{}", "".join(given)) for text in (name, title))
            PROBES.append(Probe(name=own_name, section=section, title=own_title, check=check, given=given))
        return check

    return add


def select(wanted: Iterable[str]) -> list[Probe]:
    """Return the probes of some areas, groups or names, all if none is given; raises Unusable."""
    prefixes = list(wanted)
    for prefix in prefixes:
        if not any(_is_below(each, prefix) for each in PROBES):
            areas = ", ".join(dict.fromkeys(each.name.partition(".")[0] for each in PROBES))
            raise Unusable(f"There is no probe {prefix!r}; areas are {areas}, and --list names all.")
    return [each for each in PROBES if not prefixes or any(_is_below(each, prefix) for prefix in prefixes)]


def _is_below(each: Probe, prefix: str) -> bool:
    return f"{each.name}.".startswith(f"{prefix}.")
