"""A customer of the shop without a browser: fills the cart, orders, pays, returns. Sees only pages."""

from __future__ import annotations

import html
import re
from urllib.parse import urlsplit

from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import reverse

from example_project.shop.models import Order
from wallet_gateway import payments
from wallet_gateway.testing.sandbox import SandboxControl

# The form values that a browser would send back, and the text that a reader would see.
ORDER_KEY = re.compile(r'name="order" value="([^"]+)"')
TOTAL = re.compile(r'name="total" value="([^"]+)"')
STANDING = re.compile(r'id="standing-heading">([^<]+)<')


class Customer:
    """One visitor with a separate session."""

    def __init__(self, control: SandboxControl) -> None:
        self._control = control
        self._client = Client(SERVER_NAME="127.0.0.1", SERVER_PORT="8000")

    def orders(self, *slugs: str, currency: str, code: str = "") -> Order:
        """Put one piece of each product into the cart and place the order."""
        self._post(reverse("shop:currency"), {"currency": currency})
        for slug in slugs:
            self._post(reverse("shop:cart-line", args=[slug]), {"quantity": "1", "action": "add"})
        self._post(reverse("shop:address"), ADDRESS)
        review = reverse("shop:review")
        self._post(review, {"code": code, "action": "update"})
        page = self._page(review)
        key = _found(ORDER_KEY, page)
        self._post(review, {"code": code, "total": _found(TOTAL, page), "order": key, "action": "place"})
        return Order.objects.get(key=key)

    def opens_checkout(self, order: Order) -> str:
        """Press the pay button; return the reference of the new attempt."""
        wallet_order = payments.get_order(order.number)
        answer = self._post(reverse("wallet_gateway:checkout", args=[wallet_order.token]), {})
        attempt = payments.order_summary(wallet_order).open_attempt
        if attempt is None or answer.headers["Location"] != attempt.redirect_url:
            raise AssertionError(f"The pay button of {order} did not lead to the gateway's page.")
        reference: str = attempt.reference
        return reference

    def decides(self, reference: str, outcome: str) -> None:
        """Press a button on the gateway's page and follow it back to the shop."""
        back = urlsplit(self._control.complete_checkout(reference, outcome))
        answer = self._client.get(f"{back.path}?{back.query}", follow=True)
        if answer.status_code != 200:
            raise AssertionError(f"The way back after {outcome} was answered {answer.status_code}.")

    def reads(self, order: Order) -> str:
        """Return the state's label on the order's page."""
        return _found(STANDING, self._page(order.get_absolute_url()))

    def _page(self, address: str) -> str:
        answer = self._client.get(address)
        if answer.status_code != 200:
            raise AssertionError(f"GET {address} was answered {answer.status_code}.")
        return str(answer.content.decode())

    def _post(self, address: str, data: dict[str, str]) -> HttpResponseBase:
        answer = self._client.post(address, data)
        if answer.status_code not in {302, 303}:
            raise AssertionError(f"POST {address} was answered {answer.status_code}, not with a redirect.")
        return answer


def _found(pattern: re.Pattern[str], page: str) -> str:
    match = pattern.search(page)
    if match is None:
        raise AssertionError(f"Nothing on the page matches {pattern.pattern}.")
    return html.unescape(match[1])


ADDRESS = {
    "billing-email": "robin@example.com",
    "billing-first_name": "Robin",
    "billing-last_name": "Wren",
    "billing-street": "Lerchenweg",
    "billing-house_number": "7",
    "billing-zip_postal_code": "20095",
    "billing-city": "Hamburg",
    "billing-country_code": "DEU",
}
