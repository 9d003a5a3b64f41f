"""An app that calls the JSON API by an access token: no cookies, no CSRF token, perhaps another origin."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.test import Client
from django.urls import reverse

from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Answer

APP = "https://app.shop.example"


class App:
    """One app with the token that the shop's backend gave it; a page of `origin`, or no page if empty."""

    def __init__(self, order: PaymentOrder, *, origin: str = "", token: str | None = None) -> None:
        self.client = Client(enforce_csrf_checks=True)
        self.order = order
        token = payments.orders.access_token(order) if token is None else token
        self.headers = {"Authorization": f"Bearer {token}"}
        if origin:
            self.headers |= {"Origin": origin, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"}

    def post(self, what: str, body: object = None, *, order: PaymentOrder | None = None) -> Answer:
        """Call an address of the order."""
        url = reverse(f"wallet_gateway:wallet_{what}", args=[(order or self.order).token])
        given = json.dumps(body or {})
        return self.client.post(url, given, content_type="application/json", headers=self.headers)

    def open(self) -> dict[str, Any]:
        """Open a wallet session."""
        answer = self.post("session")
        assert answer.status_code == 200, answer.content
        session: dict[str, Any] = answer.json()
        return session
