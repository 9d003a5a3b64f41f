"""Gateways that answer every status query with the same elements, readable or not."""

from __future__ import annotations

from typing import Any

from tests.operations.dying import scripted
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.protocol import strict_json

Row = dict[str, Any]


def answered(context: GatewayContext, *records: Row | str | None) -> GatewayContext:
    """A gateway that answers every status query with these elements, readable or not."""
    return scripted(context, strict_json.dumps(records))
