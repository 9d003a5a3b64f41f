"""Eight orders of a new demo: what staff meet in the admin, in eight different states."""

from __future__ import annotations

from decimal import Decimal

from django.contrib.auth import get_user_model

from example_project.shop.demo.customer import Customer
from example_project.shop.models import Order
from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder
from wallet_gateway.testing.sandbox import SandboxControl


class History:
    """What customers and one member of staff have done before the demo begins."""

    def __init__(self, control: SandboxControl, *, staff: str) -> None:
        self._control = control
        self._staff = get_user_model().objects.get(username=staff)

    def write(self) -> None:
        """Let eight customers order and pay, and let the member of staff handle four of their orders."""
        self._bought("harbour-mug", "low-fog-tea")
        self._bought("wren-pen", outcome="refused")
        self._bought("first-light", outcome="cancelled")
        self._bought("hearth-teapot")
        half = self._bought("hearth-teapot", "tide-bowl")
        payments.capture(half, Decimal("40.00"), by=self._staff, reason_code="shipped")
        chipped = self._bought("tide-bowl")
        payments.refund(chipped, Decimal("8.00"), by=self._staff, reason_code="goodwill")
        # Somebody gives the money back at the gateway itself: the order is frozen until a person looks.
        elsewhere = self._bought("reed-vase")
        (attempt,) = elsewhere.payments.all()
        self._control.portal(attempt.reference, "refund", amount=Decimal("19.50"))
        payments.maintenance.query_status(elsewhere)
        # Above the limit of one person.
        large = self._bought("dune-dripper", "wren-pen")
        try:
            payments.refund(large, by=self._staff, reason_code="returned", comment="Both came back.")
        except payments.errors.AwaitingApproval:
            pass
        else:
            raise AssertionError("A refund above the limit of APPROVALS must wait for a second person.")

    def _bought(self, *slugs: str, outcome: str = "success") -> PaymentOrder:
        customer = Customer(self._control)
        order = customer.orders(*slugs, currency="EUR")
        customer.decides(customer.opens_checkout(order), outcome)
        return payments.get_order(order.number)


def is_new() -> bool:
    """Return whether nobody has ordered anything in this database."""
    return not Order.objects.exists()
