"""A request that a shop's own gateway has adapted may have other types than ours; it is stored as safely."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from wallet_gateway.client.redaction import redact
from wallet_gateway.protocol.strict_json import JsonValue, NumberText

CARD = "4111111111111111"


def test_what_an_adapted_request_has_besides_lists_and_objects_is_redacted_as_these_are() -> None:
    ours: dict[str, JsonValue] = {
        "cryptogram": "AgAAAAAABk4DWZ4C28yUQAAAAAA=",
        "cardNumber": NumberText(CARD),
        "note": NumberText(CARD),
        "isRecurring": True,
        "addresses": [{"street": "High Street"}],
    }
    street = MappingProxyType({"street": "High Street"})
    numbers: dict[str, object] = {"cardNumber": int(CARD), "note": int(CARD)}
    adapted: Any = MappingProxyType({**ours, **numbers, "addresses": (street,)})
    assert redact(adapted) == redact(ours)
    assert "High Street" not in redact(ours)
    assert CARD not in redact(ours)
