"""A card as people name it: network and last four digits. Pure."""

from __future__ import annotations

_NETWORKS = {
    "VISA": "Visa",
    "MASTERCARD": "Mastercard",
    "AMEX": "American Express",
    "DISCOVER": "Discover",
    "JCB": "JCB",
}
"""The networks of the interface, as they write themselves; the same in every language."""


def network_name(network: str) -> str:
    """Return a network as it writes itself, such as `Visa`; an unknown one as it was told."""
    return _NETWORKS.get(network.upper(), network)


def card_name(network: str, last_four: str) -> str:
    """Return `Visa •••• 1111`; either part may be missing, and without both the name is empty."""
    name = network_name(network)
    return f"{name} •••• {last_four}".strip() if last_four else name
