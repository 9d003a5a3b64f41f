"""The probes: each module has one area of the document, and in it one named function per statement."""

from __future__ import annotations

from importlib import import_module

from wallet_gateway.conformance.registry import PROBES

__all__ = ["PROBES"]

for _area in (
    "checkout",
    "addresses",
    "cart",
    "errors",
    "follow_ups",
    "status",
    "detached_refunds",
    "wallet",
    "script",
    "open_points",
):
    # In the order in which they run.
    import_module(f"{__name__}.{_area}")
