"""The sandbox for test cases of Django, without pytest.

It goes before `TestCase`, `TransactionTestCase`, `LiveServerTestCase` or `StaticLiveServerTestCase`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from django.conf import settings
from django.test import SimpleTestCase, override_settings

from wallet_gateway.testing.configuration import add_merchants, use_sandbox
from wallet_gateway.testing.sandbox import shared_sandbox

if TYPE_CHECKING:
    from wallet_gateway.models import PaymentOrder
    from wallet_gateway.testing.control import SandboxControl

    Base = SimpleTestCase
else:
    Base = object


class WalletSandboxMixin(Base):
    """Points ``WALLET_GATEWAY`` at a sandbox for the tests of a class, `setUpTestData` included.

    The sandbox is started once for a process. Each test finds it as new, unless the class itself has called
    the gateway in `setUpTestData`: then its payments stay, and only faults, clock and wallet are put back.
    With a live server, ``PUBLIC_ORIGIN`` is its address.
    """

    wallet_sandbox: ClassVar[SandboxControl]
    """The control interface of the sandbox."""
    _payments_of_class: ClassVar[bool]

    @classmethod
    def setUpClass(cls) -> None:
        """Point the settings at the sandbox before the class makes its rows."""
        cls.wallet_sandbox = shared_sandbox().control
        cls.wallet_sandbox.reset()
        cls._use_sandbox()
        super().setUpClass()
        # Once more: now settings of the class itself are in force, and a live server has an address.
        cls._use_sandbox(public_origin=getattr(cls, "live_server_url", ""))
        cls._payments_of_class = bool(cls.wallet_sandbox.journal())

    def setUp(self) -> None:
        """Put the sandbox back to how the class has left it."""
        super().setUp()
        if self._payments_of_class:
            self.wallet_sandbox.clear_faults()
            self.wallet_sandbox.reset_clock()
            self.wallet_sandbox.wallet("ready")
        else:
            self.wallet_sandbox.reset()
            add_merchants(self.wallet_sandbox, settings.WALLET_GATEWAY)

    @classmethod
    def paid_order(cls, **given: Any) -> PaymentOrder:
        """Return a new order that is paid, 25.00 EUR.

        :param given: arguments of `payments.create_order`, which replace the order's own.
        :returns: the order as the gateway reports it.
        """
        # Only now, as in `pay`: the models need Django to be set up, a base class does not.
        from wallet_gateway.testing import orders

        return orders.pay(orders.create_order(**given), control=cls.wallet_sandbox)

    @classmethod
    def pay(cls, order: PaymentOrder, outcome: str = "success") -> PaymentOrder:
        """Decide an order on the gateway's page, as `wallet_pay` does under pytest.

        :param order: an order that can be paid.
        :param outcome: ``success``, ``pending``, ``refused``, ``cancelled``, ``error`` or ``return``.
        :returns: the order as the gateway reports it.
        """
        from wallet_gateway.testing import orders

        return orders.pay(order, outcome, control=cls.wallet_sandbox)

    @classmethod
    def _use_sandbox(cls, *, public_origin: str = "") -> None:
        given = getattr(settings, "WALLET_GATEWAY", None)
        pointed = use_sandbox(cls.wallet_sandbox, given, public_origin=public_origin)
        cls.enterClassContext(override_settings(WALLET_GATEWAY=pointed))
