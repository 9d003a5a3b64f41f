"""What the page asks, read out of its JSON: whole, or refused."""

from __future__ import annotations

import pytest

from tests.tables import every
from wallet_gateway.api.inputs import (
    EventReport,
    event_report,
    price_request,
)
from wallet_gateway.api.problems import InvalidBody
from wallet_gateway.payments.wallet import WalletEvent
from wallet_gateway.protocol.strict_json import NumberText


def test_an_address_is_in_no_repr() -> None:
    asked = price_request({"reference": "R", "shippingAddress": {"postalCode": "75001"}})
    assert "75001" not in repr(asked)


@every(
    "body",
    [
        {},
        {"reference": ""},
        {"reference": NumberText("1")},
        {"reference": "A" * 256},
        {"reference": "R", "shippingOption": ""},
        {"reference": "R", "shippingOption": ["a"]},
        {"reference": "R", "shippingAddress": "DE"},
        {"reference": "R", "shippingAddress": {"countryCode": {"a": "b"}}},
        {"reference": "R", "shippingAddress": {str(n): "x" for n in range(21)}},
        {"reference": "R", "offers": "SAVE"},
        {"reference": "R", "offers": ["A"] * 21},
        {"reference": "R", "offers": [True]},
    ],
)
def test_another_type_or_size_is_refused_whole(body: dict[str, object]) -> None:
    with pytest.raises(InvalidBody):
        price_request(body)


def test_a_report_needs_no_words_and_shows_them_in_no_repr() -> None:
    told = {"reference": "R", "event": "CLOSED"}
    assert event_report(told) == EventReport(reference="R", event=WalletEvent.CLOSED)
    assert "secret" not in repr(event_report(told | {"message": "secret"}))
