"""Where the record of a lost follow-up is filed, types that nobody knows, and a key for every request."""

from __future__ import annotations

from decimal import Decimal
from itertools import product

import pytest

from tests.money.any_gateway.conftest import Shop, sums
from tests.stub_gateway.answers import Kind
from tests.stub_gateway.book import Filing
from tests.stub_gateway.habits import Habit, also, sent, written
from tests.stub_gateway.service import TRANSACTIONS
from tests.support.shop import reloaded
from tests.support.tables import every
from wallet_gateway import payments
from wallet_gateway.client.exchange import GatewayRequest
from wallet_gateway.client.gateway import Gateway
from wallet_gateway.models import Discrepancy, GatewayTransaction, OutboxEvent
from wallet_gateway.protocol.endpoints import DETACHED_REFUND, FOLLOW_UP, STATUS, Endpoint

pytestmark = pytest.mark.django_db

LOST = sent("lost", Kind.FOLLOW_UP, text=b"")


# One that files under the original's reference alone is not found without the setting.
FILED = [*product(Filing, [True]), (Filing.OWN, False), (Filing.BOTH, False)]


@pytest.mark.parametrize(("filing", "shares"), FILED)
def test_a_lost_answer_is_found_wherever_the_record_is_filed(
    filing: Filing, shares: bool, shop: Shop
) -> None:
    shop.set(SHARES_REFERENCES=shares)
    order = shop.paid()
    with shop.gateway.having(Habit("lost", LOST.change, filing=filing)):
        transaction = payments.refund(order, Decimal("4.00"))
        assert transaction.state == "UNKNOWN"
        shop.told(order)
        shop.told(order)
    assert reloaded(transaction).state == "APPROVED"
    assert sums(order) == ("20.00", "20.00", "4.00")
    assert not Discrepancy.objects.exists()


# Types that the document does not name

CHARGEBACK = written("a chargeback more", also({"type": "chargeback"}), Kind.STATUS)


def test_a_chargeback_is_told_once_stops_refunds_and_changes_no_sum(shop: Shop) -> None:
    order = shop.paid()
    with shop.gateway.having(CHARGEBACK):
        for _ in range(2):
            shop.told(order)
        assert sums(order) == ("20.00", "20.00", "0.00")
        assert [difference.kind for difference in Discrepancy.objects.all()] == ["UNKNOWN_TYPE"]
        assert OutboxEvent.objects.filter(kind="ANOMALY").count() == 1
        with pytest.raises(payments.errors.InvalidState):
            payments.refund(payments.get_order(order.reference))
        payments.approvals.close_discrepancy(
            Discrepancy.objects.get(), by="anna", reason="answered in the portal"
        )
        assert shop.told(order).state == "PAID"
    assert OutboxEvent.objects.filter(kind="ANOMALY").count() == 1


def test_a_type_that_the_settings_call_a_note_holds_nothing_back(shop: Shop) -> None:
    shop.set(IGNORED_RECORD_TYPES=["Chargeback"])
    with shop.gateway.having(CHARGEBACK):
        order = shop.paid()
        assert order.state == "PAID"
        assert payments.refund(order).state == "APPROVED"
    assert not Discrepancy.objects.exists()


# A gateway that wants the key service's key on transactions, too


class Keyed(Gateway):
    """A shop's client, as `docs/how-to/another-gateway.md` has it."""

    def adapt_request(self, endpoint: Endpoint, request: GatewayRequest) -> GatewayRequest:
        if endpoint in {FOLLOW_UP, DETACHED_REFUND, STATUS}:
            return request.with_header("Authorization", f"PublicApiKey {self.current_api_key()}")
        return request


@every("client", ["", f"{__name__}.Keyed"], ids=["as it is", "a class of the shop"])
def test_a_gateway_may_want_the_key_on_every_transaction(client: str, shop: Shop) -> None:
    shop.gateway.service.keyed = frozenset({TRANSACTIONS})
    shop.set(CLIENT_CLASS=client)
    order, page = shop.at_the_page(type="preauthorization")
    shop.gateway.pay(page)
    shop.told(order)
    if not client:
        assert sums(order) == ("0.00", "0.00", "0.00")
        return
    assert payments.capture(payments.get_order(order.reference)).state == "APPROVED"
    assert payments.refund(shop.told(order), Decimal("1.00")).state == "APPROVED"
    assert payments.refund_migrated(shop.deposit("5.00"), Decimal("5.00"), "EUR").state == "APPROVED"
    assert sums(order) == ("20.00", "20.00", "1.00")
    assert shop.gateway.asked["POST /keys"] == 1
    assert not GatewayTransaction.objects.filter(state="UNKNOWN").exists()
