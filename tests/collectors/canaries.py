"""One customer's data that can be found again wherever they went, and the way of a card with them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from cryptography.fernet import Fernet
from django.conf import settings
from django.http.response import HttpResponseBase
from django.test.client import ClientHandler
from sentry_sdk.integrations.wsgi import SentryWsgiMiddleware

from tests.api.browser import TOKEN, Browser, approve
from wallet_gateway.models import PaymentOrder, WalletKey
from wallet_gateway.testing.control import SandboxControl

EMAIL = "canary.mail@example.org"
CARD_NUMBER = "4111 1111 1111 1111"
STREET, CITY, NAME, PHONE = "Canary Lane 17", "Canaryville", "Corinna Canary", "+49 30 5550177"
ADDRESS = {
    "name": NAME,
    "phoneNumber": PHONE,
    "address1": STREET,
    "address2": CARD_NUMBER,
    "locality": CITY,
    "postalCode": "10117-C",
    "countryCode": "DE",
}
PERSONAL = (EMAIL, STREET, CITY, NAME, PHONE, "10117-C")


class _Served(ClientHandler):
    """The test client's way into Django, with the part of Sentry that sits at the server's end of WSGI."""

    def __call__(self, environ: dict[str, Any]) -> Any:  # noqa: ANN401 - as its parent
        answers: list[HttpResponseBase] = []

        def application(environ: dict[str, Any], _start: object) -> list[bytes]:
            answers.append(ClientHandler.__call__(self, environ))
            return []

        list(SentryWsgiMiddleware(application)(environ, lambda *_: None))
        return answers[0]


@dataclass
class Payer:
    """A customer who pays by card."""

    control: SandboxControl
    browser: Browser = field(default_factory=Browser)
    detail: dict[str, Any] = field(default_factory=dict, repr=False)

    def approve(self, order: PaymentOrder, method: str = TOKEN) -> None:
        """Open the sheet and choose a card: what the page is about to post."""
        client = self.browser.client
        client.handler, client.raise_request_exception = _Served(client.handler.enforce_csrf_checks), False
        self.detail = approve(self.control, self.browser.open(order), method)
        self.detail |= {"email": EMAIL, "billingAddress": ADDRESS, "shippingAddress": ADDRESS}

    def post(self, order: PaymentOrder) -> int:
        """Post the result; return the status of the shop's answer."""
        return self.browser.post("result", order, self.detail).status_code

    @property
    def secrets(self) -> tuple[str, ...]:
        """Return all that must stand nowhere."""
        cryptogram = self.detail.get("cryptogram")
        return (*([cryptogram] if cryptogram else []), _opened("api_key"), CARD_NUMBER, *PERSONAL)

    @property
    def asked_for(self) -> tuple[str, ...]:
        """Return what stands in an address of the gateway, and so in a collector's list of calls."""
        return (self.detail["transactionAccountId"], _opened("encryption_key"))


def _opened(column: str) -> str:
    """Return a secret of the newest key, which is stored under the key of the settings."""
    (key,) = settings.WALLET_GATEWAY["FERNET_KEYS"]
    return Fernet(key).decrypt(bytes(getattr(WalletKey.objects.latest("pk"), column))).decode()


def found(text: str, secrets: tuple[str, ...]) -> list[str]:
    """Return the secrets that stand in a text, as they are or without their blanks."""
    tight = text.replace(" ", "")
    return [secret for secret in secrets if secret in text or secret.replace(" ", "") in tight]
