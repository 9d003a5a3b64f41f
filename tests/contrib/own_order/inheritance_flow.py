"""A child of the shop's order model is told as what it is; a proxy, which no row names, is warned of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from django.core.checks import WARNING
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.contrib.own_order import models
from wallet_gateway import payments
from wallet_gateway.contrib.own_order.checks import check_proxies
from wallet_gateway.documentation import address_of

if TYPE_CHECKING:
    from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db(transaction=True)

Order: Any = vars(models)["Order"]
ADDRESS = {"email": "robin@example.com", "total": "25.00"}


def pay(order: Any, gateway: SandboxControl) -> None:  # noqa: ANN401
    attempt = payments.start_checkout(order.create_payment_order())
    gateway.complete_checkout(attempt.reference, "success")
    payments.reconcile(attempt)


@pytest.mark.parametrize("model", [models.GiftOrder, models.EngravedGift])
def test_a_childs_own_method_is_called(model: Any, wallet_sandbox: SandboxControl) -> None:  # noqa: ANN401
    gift = model.objects.create(**ADDRESS)
    pay(gift, wallet_sandbox)
    gift.refresh_from_db()
    assert (gift.status, gift.voucher) == ("paid", "sent")


def test_a_child_is_told_when_its_parent_was_paid_as_a_parent(wallet_sandbox: SandboxControl) -> None:
    gift = models.GiftOrder.objects.create(**ADDRESS)
    pay(Order.objects.get(pk=gift.pk), wallet_sandbox)
    gift.refresh_from_db()
    assert gift.voucher == "sent"


@pytest.mark.skipif(not connection.features.has_select_for_update, reason="SQLite locks no rows")
def test_the_row_with_the_column_is_locked_before_the_childs(wallet_sandbox: SandboxControl) -> None:
    gift = models.GiftOrder.objects.create(**ADDRESS)
    with CaptureQueriesContext(connection) as run:
        pay(gift, wallet_sandbox)
    locks = [query["sql"] for query in run if "FOR UPDATE" in query["sql"] and "own_order" in query["sql"]]
    assert ["giftorder" in lock for lock in locks][:2] == [False, True]


def test_a_proxy_with_a_method_of_its_own_is_warned_of() -> None:
    (message,) = check_proxies()
    assert (message.id, message.level, message.obj) == ("wallet_own_order.W001", WARNING, models.ProxyOrder)
    assert message.msg == "payment_changed of the proxy ProxyOrder is not called; that of Order is."
    assert address_of("reference/checks", "wallet_own_order.W001") in (message.hint or "")
