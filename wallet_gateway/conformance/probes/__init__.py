"""The probes: each module has one area of the document, and in it one named function per statement."""

from __future__ import annotations

from typing import Final

from wallet_gateway.conformance.probes import (
    addresses,
    cart,
    checkout,
    detached_refunds,
    errors,
    follow_ups,
    open_points,
    script,
    status,
    wallet,
)
from wallet_gateway.conformance.registry import Area, Probe

AREAS: Final[tuple[Area, ...]] = (
    checkout.area,
    addresses.area,
    cart.area,
    errors.area,
    follow_ups.area,
    status.area,
    detached_refunds.area,
    wallet.area,
    script.area,
    open_points.area,
)
"""All areas, in the order in which they run."""

PROBES: Final[tuple[Probe, ...]] = tuple(probe for area in AREAS for probe in area.probes)
"""All probes."""
