"""A customer's browser for the JSON door: a page with its CSRF token, a session, and a wallet."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.request import Request, urlopen

from django.test import Client
from django.urls import reverse

from tests.support.problems import PROBLEMS
from wallet_gateway.models import PaymentOrder
from wallet_gateway.testing.control import SandboxControl

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Answer

TOKEN, CARD = "CRYPTOGRAM_3DS", "PAN_ONLY"
SECRET = "a" * 32
OUT_OF_DATE = "This page is out of date. Nothing was charged. Load it again to pay."


class Browser:
    """One browser. It checks CSRF as a real one must, unlike Django's test client by itself."""

    def __init__(self) -> None:
        self.client = Client(enforce_csrf_checks=True, raise_request_exception=True)
        self.client.cookies["csrftoken"] = SECRET

    def post(self, what: str, order: PaymentOrder | str, body: object = None, **extra: Any) -> Answer:
        """Ask as the page's script asks; `body` may be bytes that are no JSON."""
        token = order if isinstance(order, str) else order.token
        data = body if isinstance(body, bytes | str) else json.dumps({} if body is None else body)
        given: dict[str, Any] = {"content_type": "application/json", "HTTP_X_CSRFTOKEN": SECRET} | extra
        return self.client.post(reverse(f"wallet_gateway:wallet_{what}", args=[token]), data, **given)

    def open(self, order: PaymentOrder) -> dict[str, Any]:
        """Load the page with the button."""
        answer = self.post("session", order)
        assert answer.status_code == 200, answer.content
        session: dict[str, Any] = answer.json()
        return session


def approve(
    control: SandboxControl, session: dict[str, Any], method: str = TOKEN, *, reference: str = ""
) -> dict[str, Any]:
    """Choose a card in the sheet and approve: what `handlePaymentResult` is given."""
    given = session["parameters"]
    body = {
        "merchantId": given["mid"],
        "storeId": given["sid"],
        "clientSystemTransactionId": reference or session["reference"],
        "paymentData": control.wallet_payment_data(auth_method=method, card_network="VISA"),
    }
    headers = {"Authorization": f"PublicApiKey {given['publicKeyApi']}", "Content-Type": "application/json"}
    url = f"{control.base_url}/api/v5/paymentAccounts"
    with urlopen(Request(url, data=json.dumps(body).encode(), headers=headers)) as answer:
        detail: dict[str, Any] = json.load(answer)
    return detail


def problem(code: str, title: str, detail: str) -> dict[str, object]:
    """Return the problem details of a failure."""
    return {
        "type": f"urn:wallet-gateway:problem:{code}",
        "title": title,
        "status": PROBLEMS[code],
        "detail": detail,
        "code": code,
    }


UNKNOWN = problem("unknown_link", "Unknown link", OUT_OF_DATE)
FAILED = {"code": "4000340", "description": "GeneralValidationError", "details": {"message": "no token"}}
