"""The sandbox for Django's test cases: settings in time for the class's rows, a sandbox as new for each test.

The cases run in a shop of their own with Django's runner, as a shop without pytest runs them.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest_plugins = ["pytester"]
OWN = {
    "BASE_URL": "https://gateway.example",
    "MERCHANT_ID": "OWN",
    "STORE_ID": "S",
    "USER_ID": "u",
    "PROVIDER": "OwnV2",
}
CASES = f"""
import sys
from datetime import timedelta
from unittest import mock
from urllib.request import urlopen

from django.conf import settings
from django.contrib.staticfiles.testing import StaticLiveServerTestCase
from django.test import SimpleTestCase, TestCase, TransactionTestCase, override_settings
from django.utils import timezone

from wallet_gateway import payments
from wallet_gateway.payments import maintenance
from wallet_gateway.testing import WalletSandboxMixin
from wallet_gateway.testing.orders import create_order


class WhatTheClassHasPaid(WalletSandboxMixin, TestCase):
    @classmethod
    def setUpTestData(cls):
        cls.order = cls.paid_order(reference="OF-THE-CLASS")

    def test_1_a_test_sets_a_fault(self):
        self.wallet_sandbox.fault("*", "drop_after", times=9)
        self.wallet_sandbox.wallet("no_card")

    def test_2_no_fault_is_left_and_the_payment_is_known(self):
        self.assertEqual(self.wallet_sandbox.wallet(), "ready")
        self.assertEqual(payments.refund(self.order).state, "APPROVED")


class WhatATestHasSent(WalletSandboxMixin, TestCase):
    def test_1_a_test_pays(self):
        self.assertTrue(self.paid_order().is_paid)
        self.assertGreater(len(self.wallet_sandbox.journal()), 1)

    def test_2_the_next_finds_the_sandbox_as_new(self):
        self.assertEqual(self.wallet_sandbox.journal(), [])

    def test_3_a_test_stops_the_gateway(self):
        maintenance.stop_sending("default", by="anna", reason="a test")
        with self.assertRaises(payments.errors.SendingStopped):
            payments.start_checkout(create_order())

    def test_4_the_next_has_no_memory_of_it(self):
        self.assertTrue(self.paid_order().is_paid)

    def test_5_a_test_travels_past_the_time_to_pay(self):
        order = create_order(payable_until=timezone.now() + timedelta(minutes=15))
        later = timezone.now() + timedelta(minutes=20)
        with mock.patch("django.utils.timezone.now", return_value=later):
            with self.assertRaises(payments.errors.OrderNotPayable):
                payments.start_checkout(order)

    def test_6_the_next_is_back_in_time(self):
        self.assertTrue(self.pay(create_order(payable_until=timezone.now() + timedelta(minutes=15))).is_paid)

    def test_an_order_is_refused_on_the_gateways_page(self):
        self.assertEqual(self.pay(create_order(), "refused").state, "FAILED")


@override_settings(
    WALLET_GATEWAY={{"PUBLIC_ORIGIN": "https://shop.example", "GATEWAYS": {{"default": {OWN!r}}}}}
)
class SettingsOfTheClass(WalletSandboxMixin, TransactionTestCase):
    def test_1_its_merchant_pays_at_the_sandbox(self):
        self.assertTrue(self.paid_order().is_paid)
        gateway = settings.WALLET_GATEWAY["GATEWAYS"]["default"]
        self.assertEqual(gateway["MERCHANT_ID"], "OWN")
        self.assertEqual(gateway["BASE_URL"], self.wallet_sandbox.base_url)

    def test_2_so_does_it_in_the_next_test(self):
        self.assertTrue(self.paid_order().is_paid)


class ALiveServer(WalletSandboxMixin, StaticLiveServerTestCase):
    def test_the_customer_comes_back_to_it(self):
        attempt = payments.start_checkout(create_order())
        address = self.wallet_sandbox.complete_checkout(attempt.reference, "success")
        with urlopen(address) as page:
            self.assertTrue(page.url.startswith(self.live_server_url))
            self.assertIn(b"Your payment went through", page.read())


class ALiveServerForABrowserInAContainer(ALiveServer):
    host = "0.0.0.0"


@override_settings(
    WALLET_GATEWAY={{
        "PUBLIC_ORIGIN": "https://shop.example",
        "GATEWAYS": {{"default": {OWN!r} | {{"PUBLIC_ORIGIN": "https://brand.example"}}}},
    }}
)
class ALiveServerOfABrand(WalletSandboxMixin, StaticLiveServerTestCase):
    def test_its_customers_come_back_to_the_live_server(self):
        attempt = payments.start_checkout(create_order())
        address = self.wallet_sandbox.complete_checkout(
            attempt.reference, "success", merchant_id="OWN", store_id="S"
        )
        self.assertTrue(address.startswith(self.live_server_url), address)


class AfterTheClasses(SimpleTestCase):
    def test_the_settings_are_those_of_the_project(self):
        self.assertFalse(hasattr(settings, "WALLET_GATEWAY"))

    def test_nobody_has_imported_pytest(self):
        self.assertNotIn("pytest", sys.modules)
"""


@pytest.mark.wire
def test_djangos_cases_have_a_sandbox(shop: pytest.Pytester) -> None:
    shop.makepyfile(test_cases=CASES)
    command = [
        sys.executable,
        "-W",
        "error",
        "-m",
        "django",
        "test",
        "--settings=shop_settings",
        "--pythonpath=.",
    ]
    ran = subprocess.run(command, cwd=shop.path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "Ran 16 tests" in ran.stderr, ran.stderr
