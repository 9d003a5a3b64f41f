"""Setting up oscar: the guide works, what is forgotten is said, and another brand's orders are left alone."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from django.apps import apps
from django.core import mail
from django.test import Client
from oscar.apps.checkout.views import PaymentDetailsView

from tests.contrib.oscar.shop import Order, books, place_an_order
from tests.contrib.page_blocks import lines_of, templates_of
from wallet_gateway import payments
from wallet_gateway.contrib.oscar import checks, loading, sources
from wallet_gateway.contrib.oscar.checkout import WalletPaymentMixin
from wallet_gateway.models import PaymentOrder

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_django.fixtures import Settings

    from wallet_gateway.testing.control import SandboxControl

pytest_plugins = ["tests.contrib.oscar.fixtures"]
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.filterwarnings("ignore:update is not implemented in this backend"),  # of the simple search
]

PAGE = "docs/how-to/oscar.md"


# Another brand in the same project


@pytest.fixture
def outlet(settings: Settings, shop: SandboxControl) -> None:
    """A second gateway that numbers its orders separately."""
    gateways = settings.WALLET_GATEWAY["GATEWAYS"]
    second = gateways["default"] | {"NUMBERING": "outlet"}
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {"GATEWAYS": gateways | {"outlet": second}}


def test_an_order_of_another_brand_with_the_same_number_is_not_oscars(
    client: Client, shop: SandboxControl, outlet: None
) -> None:
    place_an_order(client)
    placed = Order.objects.get()
    theirs = payments.create_order(
        reference=placed.number, currency="EUR", amount=Decimal("9.00"), gateway="outlet"
    )
    attempt = payments.start_checkout(theirs)
    shop.complete_checkout(attempt.reference, "success")
    assert payments.reconcile(theirs).is_paid
    assert books() == ([], [], (Decimal(0), Decimal(0), Decimal(0)))
    assert mail.outbox == []

    ours = sources.order_to_pay(placed.sources.get())
    assert ours == payments.get_order(placed.number, gateway="default")
    placed.set_status("Cancelled")
    ours.refresh_from_db()
    theirs.refresh_from_db()
    assert (ours.is_cancelled, theirs.is_cancelled) == (True, False)


def test_oscars_orders_are_not_spread_over_two_numberings(
    client: Client,
    outlet: None,
    config: Any,  # noqa: ANN401
    caplog: pytest.LogCaptureFixture,
) -> None:
    config(order_details=lambda order, amount: {"currency": "EUR", "amount": amount, "gateway": "outlet"})
    place_an_order(client)
    # Oscar logs it, and tells the customer that something went wrong.
    assert "give the gateways 'default' and 'outlet' the same NUMBERING" in caplog.text
    assert not Order.objects.exists()
    assert not PaymentOrder.objects.exists()


# Settings


def test_the_guide_is_followed(paid: Any, follow: Callable[..., None]) -> None:  # noqa: ANN401
    follow(PAGE)


def test_a_shop_writes_less_than_fifteen_lines() -> None:
    written = "".join(lines_of(PAGE, file) for file in ("settings.py", "urls.py"))
    written += templates_of(PAGE)["oscar/checkout/preview.html"]
    assert len(written.splitlines()) < 15


def test_the_classes_of_a_shop_that_has_forked_an_app_are_extended_once() -> None:
    class Forked(PaymentDetailsView):  # type: ignore[misc]
        pass

    class Extended(WalletPaymentMixin, PaymentDetailsView):  # type: ignore[misc]
        pass

    path = "checkout.views.PaymentDetailsView"
    extended = loading._extended(path, Forked)
    assert issubclass(extended, WalletPaymentMixin)
    assert issubclass(extended, Forked)
    assert loading._extended(path, Forked) is extended
    assert loading._extended(path, Extended) is Extended


def test_a_shop_that_is_set_up_passes_the_checks() -> None:
    assert checks.check_shop() == []


def test_a_missing_setting_is_told_before_orders_are_placed_unpaid(
    monkeypatch: pytest.MonkeyPatch,
    config: Any,  # noqa: ANN401
) -> None:
    monkeypatch.setattr(checks, "get_class", lambda *_: PaymentDetailsView)
    config(paid_status="Being proccessed", cancelled_status="Canceled", minutes_to_pay=20)
    first, second, third = checks.check_shop()
    assert (first.id, second.id, third.id) == tuple(f"wallet_oscar.E00{n}" for n in (1, 2, 3))
    assert "OSCAR_DYNAMIC_CLASS_LOADER" in str(first.hint)
    assert "'Being proccessed'" in second.msg
    assert "'Canceled'" in third.msg
    config(minutes_to_pay=None)
    assert len(checks.check_shop()) == 2, "a shop without that status has no orders that end by themselves"


def test_the_setting_without_the_app_is_told_at_start(monkeypatch: pytest.MonkeyPatch) -> None:
    class Another(PaymentDetailsView):  # type: ignore[misc]
        pass

    monkeypatch.setattr(apps, "is_installed", lambda name: False)
    with pytest.raises(Exception, match="INSTALLED_APPS"):
        loading._extended("checkout.views.PaymentDetailsView", Another)
