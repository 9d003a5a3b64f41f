"""The client of a shop that was taught its gateway's words, as the guide on other gateways shows it.

And clients that do not hand on what the gateway says: the search has to find what comes of each.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Final

from proof.histories.speech import APPROVED, MEANING
from wallet_gateway.client.gateway import Gateway
from wallet_gateway.protocol.endpoints import Endpoint


class TaughtGateway(Gateway):
    """A gateway whose other words for the states are translated to those of the interface."""

    def adapt_answer(self, endpoint: Endpoint, value: Any) -> Any:  # noqa: ANN401  what JSON holds
        """Translate the state of an answer, or of each record of one."""
        if isinstance(value, list):
            return [self._translated(record) for record in value]
        return self._translated(value)

    def _translated(self, value: Any) -> Any:  # noqa: ANN401
        if not isinstance(value, dict) or not isinstance(value.get("state"), str):
            return value
        return value | {"state": MEANING.get(value["state"].lower(), value["state"])}


class BelievesRefusals(TaughtGateway):
    """Takes what was declined for paid."""

    def _translated(self, value: Any) -> Any:  # noqa: ANN401
        said = super()._translated(value)
        is_errored = isinstance(said, dict) and str(said.get("state", "")).lower() == "errored"
        return said | {"state": APPROVED} if is_errored else said


class _OfRecords(TaughtGateway, ABC):
    """Hands on some of the records of an answer."""

    def adapt_answer(self, endpoint: Endpoint, value: Any) -> Any:  # noqa: ANN401
        """Return the answer without some of its records."""
        said = super().adapt_answer(endpoint, value)
        return self._kept(said) if isinstance(said, list) else said

    @abstractmethod
    def _kept(self, records: list[Any]) -> list[Any]:
        """Return the records that the status query shows to the shop."""


class LooksAtOne(_OfRecords):
    """Takes the first record of an answer for the whole of it."""

    def _kept(self, records: list[Any]) -> list[Any]:
        return records[:1]


class ForgetsPending(_OfRecords):
    """Leaves out what is not decided."""

    def _kept(self, records: list[Any]) -> list[Any]:
        return [record for record in records if record["state"].lower() != "pending"]


class OnlyItsOwn(_OfRecords):
    """Leaves out what was done in the portal under a reference of its own."""

    def _kept(self, records: list[Any]) -> list[Any]:
        return [record for record in records if not record["clientSystemTransactionId"].startswith("PORTAL")]


MISTAKEN: Final = (BelievesRefusals, LooksAtOne, ForgetsPending, OnlyItsOwn)
"""Clients through which a shop is told less, or something else, than its gateway says."""
