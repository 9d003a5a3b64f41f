"""The poll's answer has three words, and the states in it are ours."""

from __future__ import annotations

from tests.tables import every
from wallet_gateway.api.serializers import StatusSerializer
from wallet_gateway.domain.lifecycle import OrderState


def test_the_poll_tells_three_things() -> None:
    assert set(StatusSerializer().fields) == {"state", "final", "next"}


@every("state", list(OrderState))
def test_every_state_of_an_order_can_be_told(state: OrderState) -> None:
    body = {"state": state, "final": True, "next": "/wallet/result/x/", "amount": "24.90"}
    assert StatusSerializer(body).data == {"state": state.value, "final": True, "next": "/wallet/result/x/"}
