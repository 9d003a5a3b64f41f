"""Where a page of the documentation may start: each function fills the names that the page then uses.

A page calls a function by its name in words: `<!-- setup: a paid order -->`."""

from __future__ import annotations

import importlib
import itertools
import re
from datetime import timedelta
from decimal import Decimal
from typing import Any
from unittest import TestResult, defaultTestLoader

from django.apps import apps
from django.conf import settings as django_settings
from django.contrib.auth.models import User
from django.test import Client, RequestFactory, override_settings
from django.urls import reverse
from django.utils import timezone

from tests.api.browser import approve
from wallet_gateway import gateways, payments, return_tokens
from wallet_gateway.client.transport import HttpTransport
from wallet_gateway.domain.policy import WalletLimit
from wallet_gateway.models import OutboxEvent, PaymentOrder

SHOPS_NUMBERS = (f"SHOP-{number}" for number in itertools.count(1001))


def _order(reference: str, *, type: str = "sale") -> PaymentOrder:  # noqa: A002  the shop's word
    items = [payments.Item(product_id="MUG", product_name="Mug", unit_amount=Decimal("12.50"), quantity=2)]
    return payments.create_order(reference=reference, currency="EUR", items=items, type=type)


def _decide(names: dict[str, Any], order: PaymentOrder, outcome: str) -> PaymentOrder:
    started = payments.start_checkout(order)
    names["sandbox"].complete_checkout(started.reference, outcome)
    return payments.reconcile(payments.get_order(order.reference))


def an_order(names: dict[str, Any]) -> None:
    """A new order of 25.00 EUR that nobody has tried to pay."""
    names["order"] = _order(next(SHOPS_NUMBERS))


def an_order_whose_button_a_limit_has_closed(names: dict[str, Any]) -> None:
    """An order whose button was shown once, and was then closed by a limit."""
    an_order(names)
    payments.wallet.open_session(names["order"], session="ada")
    row = PaymentOrder.objects.filter(pk=names["order"].pk)
    row.update(wallet_closed_at=timezone.now(), wallet_limit=WalletLimit.AUTHORIZATIONS)
    names["order"] = row.get()


def a_paid_order(names: dict[str, Any]) -> None:
    """A sale of 25.00 EUR, paid."""
    names["order"] = _decide(names, _order(next(SHOPS_NUMBERS)), "success")


def the_order_of_the_tutorial(names: dict[str, Any]) -> None:
    """Two mugs and their shipping for 29.90 EUR, paid."""
    items = [payments.Item(product_id="MUG", product_name="Mug", unit_amount=Decimal("12.50"), quantity=2)]
    shipping = payments.Shipping(name="Parcel", amount=Decimal("4.90"))
    order = payments.create_order(reference="ORDER-1", currency="EUR", items=items, shipping=shipping)
    names["order"] = _decide(names, order, "success")


def an_access_token(names: dict[str, Any]) -> None:
    """What a shop's backend gives to an app."""
    names["ORDER"], names["TOKEN"] = names["order"].token, payments.orders.access_token(names["order"])


def the_form_of_jinja2_is_posted(names: dict[str, Any]) -> None:
    """A customer presses the button of the page that Jinja2 has drawn, with the CSRF token of that page."""
    with override_settings(TEMPLATES=names["TEMPLATES"]):
        page = names["checkout_page"](RequestFactory().get("/"), names["order"].reference)
    action, token = re.findall(r'(?:action|value)="([^"]+)"', page.content.decode())
    customer = Client(enforce_csrf_checks=True)
    # The page's token is masked; the cookie may hold it so.
    customer.cookies["csrftoken"] = token
    names["form_answer"] = customer.post(action, {"csrfmiddlewaretoken": token})


def the_wallet_approves_the_session(names: dict[str, Any]) -> None:
    """The customer approves with a card in the sheet of the page's session."""
    names["detail"] = approve(names["sandbox"], names["session"])


def the_settings_of_the_test_project(names: dict[str, Any]) -> None:
    """The project's own, which a page adds to."""
    names["WALLET_GATEWAY"] = django_settings.WALLET_GATEWAY


def the_order_gets_paid(names: dict[str, Any]) -> None:
    """The customer pays the order that the page has made."""
    names["order"] = _decide(names, names["order"], "success")


def an_authorized_order(names: dict[str, Any]) -> None:
    """A pre-authorization of 25.00 EUR, approved, nothing captured."""
    names["order"] = _decide(names, _order(next(SHOPS_NUMBERS), type="preauthorization"), "success")


def the_result_page(names: dict[str, Any]) -> None:
    """Where the customer of the order comes back to."""
    attempt = names["order"].payments.get()
    token = return_tokens.sign(attempt.reference, return_tokens.ReturnOutcome.SUCCESS)
    names["result_url"] = reverse("wallet_gateway:result", args=[token])


def the_event_is_due(names: dict[str, Any]) -> None:
    """Time has passed: what could not be told is to be told again, and the sweep comes."""
    due = timezone.now() - timedelta(minutes=1)
    OutboxEvent.objects.filter(delivered_at=None).update(next_delivery_at=due)
    payments.maintenance.deliver_events()


def a_refund_whose_outcome_is_unknown(names: dict[str, Any]) -> None:
    """A refund that the gateway never got, though the request left; the status query shows nothing of it."""
    a_paid_order(names)
    names["sandbox"].fault("refund", "drop_before", times=1)
    names["transaction"] = payments.refund(names["order"])


def a_refund_made_in_the_portal(names: dict[str, Any]) -> None:
    """A refund of 5.00 EUR that support made in the provider's portal, and that was found."""
    a_paid_order(names)
    payment = names["order"].payments.get()
    names["sandbox"].portal(payment.reference, "ecom.refund", "5.00")
    payments.reconcile(names["order"], everything=True)


def a_refund_that_was_never_sent(names: dict[str, Any]) -> None:
    """A refund of a new order, asked for while nothing listens at the gateway's address."""
    a_paid_order(names)
    gateways.use_transport(HttpTransport(base_url="http://127.0.0.1:9"), alias="default")
    names["transaction"] = payments.refund(names["order"])
    gateways.forget_gateways()


def a_refund_that_was_refused_afterwards(names: dict[str, Any]) -> None:
    """A refund that was never sent, and that a person gave up then."""
    a_refund_that_was_never_sent(names)
    words: dict[str, str] = {"decision": "DID_NOT_HAPPEN", "reason": "paid in the shop", "by": "anna"}
    names["transaction"] = payments.approvals.resolve(names["transaction"], **words)


def the_return_addresses(names: dict[str, Any]) -> None:
    """What leads a customer back, by gateway."""
    names["return_urls"] = gateways.return_urls


def the_admin_of_the_accounts(names: dict[str, Any]) -> None:
    """The change page of the page's only account, as a superuser sees it and posts it."""
    model: Any = apps.get_app_config("accounts").get_model("Account")
    site = importlib.import_module("accounts.admin").admin.site._registry[model]
    request = RequestFactory().get("/")
    request.user = User.objects.create_superuser("anna")
    account = model.objects.get()
    form_class = site.get_form(request, account)
    names["change_page"] = form_class(instance=account).as_p()
    names["log_entries"] = entries = []

    def errors_of(**changed: str) -> list[str]:
        fields = ("address", "origin", "merchant_id", "store_id", "provider", "sends")
        stored = model.objects.get()
        form = form_class({name: getattr(stored, name) for name in fields} | changed, instance=stored)
        if form.is_valid():
            form.save()
            entries.append(str(site.construct_change_message(request, form, [])))
        return list(form.errors)

    names["errors_of"] = errors_of


def the_tests_of_the_accounts(names: dict[str, Any]) -> None:
    """Run the page's test case as Django's runner would."""
    case = importlib.import_module("accounts.tests").AccountTest
    result = TestResult()
    defaultTestLoader.loadTestsFromTestCase(case).run(result)
    assert (result.testsRun, result.errors, result.failures) == (1, [], [])
