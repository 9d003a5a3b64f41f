"""What a history needs of its gateway: the real sandbox, in this process or its own, or one with habits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Protocol

from wallet_gateway.sandbox.api import Reply
from wallet_gateway.sandbox.requests import RawRequest


class Gateway(Protocol):
    """A gateway with its customers' pages, its portal and its provider."""

    # Customers and the provider; what cannot be done raises NothingToDo or is refused

    @property
    def open_pages(self) -> list[str]:
        """The pages that a customer may try to decide on, the newest first."""

    def decide_page(self, reference: str, outcome: str) -> None:
        """Let a customer decide on a page."""

    def approve_in_wallet(self, parameters: dict[str, Any], reference: str, card: str) -> dict[str, Any]:
        """Return what the page is handed after a customer has approved in the wallet's sheet."""

    def settle_pending(self, which: int, outcome: str) -> None:
        """Decide one of those that are pending."""

    def portal(self, which: int, kind: str, percent: int) -> None:
        """Make a follow-up in the provider's portal, of one of the payments."""

    # The truth, for the judge and for people who ask the provider

    def happened(self, reference: str) -> str:
        """Return what the portal tells a person about a request: its best state; empty for no record."""

    def executed(self) -> Mapping[str, Counter[str]]:
        """Return how often each reference was carried out, by type of record; not by the portal."""

    def approved_records(self) -> Mapping[str, str]:
        """Return the reference of each approved record by the record's id, portal operations among them."""

    def moved(self, original: str) -> Counter[str]:
        """Return what has really moved of a payment by now, by type in lower case."""

    def is_changed(self, original: str) -> bool:
        """Return whether what was shown of a payment was taken back later."""


class SimulatedGateway(Gateway, Protocol):
    """A gateway in this process."""

    def restart(self, behaviour: Mapping[str, Any], seed: str) -> None:
        """Begin a history."""

    @property
    def settings(self) -> dict[str, Any]:
        """What the shop's settings say of this gateway."""

    def answer(self, raw: RawRequest, fault: str, *, delay: timedelta | None = None) -> Reply:
        """Answer a request, which goes wrong in the way that a fault says."""
