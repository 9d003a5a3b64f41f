"""The client of a shop that was taught its gateway's words, as the guide on other gateways shows it."""

from __future__ import annotations

from typing import Any

from proof.habits.gateway import MEANING
from wallet_gateway.client.gateway import Gateway
from wallet_gateway.protocol.endpoints import Endpoint


class TaughtGateway(Gateway):
    """A gateway whose other words for the states are translated to those of the interface."""

    def adapt_answer(self, endpoint: Endpoint, value: Any) -> Any:  # noqa: ANN401, ARG002  what JSON holds
        """Translate the state of an answer, or of each record of one."""
        if isinstance(value, list):
            return [self._translated(record) for record in value]
        return self._translated(value)

    def _translated(self, value: Any) -> Any:  # noqa: ANN401
        if not isinstance(value, dict) or not isinstance(value.get("state"), str):
            return value
        return value | {"state": MEANING.get(value["state"].lower(), value["state"])}
