"""Histories shared among processes, each of which sets up a shop and a gateway of its own."""

from __future__ import annotations

# First: classes of the plugin store `time.sleep` when they are made.
import proof.histories.virtual_time  # noqa: F401  # isort: skip

import os
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from typing import TYPE_CHECKING

import django

if TYPE_CHECKING:
    from proof.histories.campaign import Campaign


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Which histories to run."""

    gateway: str
    """At which gateway of `steps.GATEWAYS`."""
    seed: int
    numbers: range
    steps: int
    most_failures: int = 5
    """After how many claims that do not hold the search ends."""
    is_shown: bool = False
    """Whether each history is shown before it runs."""


def search(plan: Plan) -> Campaign:
    """Run the histories of a plan in this process."""
    set_up()
    from proof.histories.campaign import run_campaign

    return run_campaign(plan)


def search_together(plan: Plan, processes: int) -> Campaign:
    """Run the histories of a plan in several processes."""
    shares = [replace(plan, numbers=plan.numbers[first::processes]) for first in range(processes)]
    if processes == 1:
        return search(plan)
    # What they return is made of classes that need Django.
    set_up()
    # Started anew: a copy of this process would share its connections.
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        first, *others = pool.map(search, shares)
    for other in others:
        first.add(other)
    return first


def set_up() -> None:
    """Set Django up as the simulated shop."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "proof.histories.settings"
    django.setup()
