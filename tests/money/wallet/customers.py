"""A customer with a wallet, and a gateway that gives keys and knows cards, as a test writes it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote

import pytest

from tests.support.gateway import Answer, Sent, StubGateway, approved
from tests.support.refusals import refuses
from tests.support.shop import Shop
from wallet_gateway import conf, gateways, payments
from wallet_gateway.client.errors import NotSent, NotSentReason
from wallet_gateway.client.exchange import RawAnswer
from wallet_gateway.client.transport import Transport
from wallet_gateway.models import GatewayPause, Payment, PaymentOrder
from wallet_gateway.payments.wallet import SheetPrice, WalletLimits, WalletSession
from wallet_gateway.testing.in_process import InProcessTransport

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

CRYPTOGRAM = "AgAAAAAABk4DWZ4C28yUQAAAAAA="
TOKEN = {"cardType": "Token", "cardNetwork": "VISA", "maskedAccountNumber": "************1111"}
CARD = TOKEN | {"cardType": "Card"}
WALLET = {"COUNTRY": "DE", "MERCHANT_NAME": "Test shop"}
LIMITS = ("SESSIONS", "ATTEMPTS", "PRICES", "DISCOUNT_CODES", "RESULTS", "AUTHORIZATIONS")


class WalletGateway(StubGateway):
    """Answers requests for keys and queries of cards as well, and refuses a key if it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.account = dict(TOKEN)
        self.cards: list[Answer] = []
        """The next answers to queries of a card; then `account`."""
        self.looked_up: list[dict[str, str]] = []
        """The queries of cards, in order."""
        self.keys_asked = 0
        self.key_lives: timedelta | None = timedelta(hours=1)
        self.refused: set[str] = set()
        """The keys to which a query of a card is answered 401."""
        self.declines = False
        """Whether authorizations are declined that no next answer is written for."""

    def __call__(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        path = environ["PATH_INFO"]
        if path.endswith("/publicKeys"):
            self.keys_asked += 1
            self.keys = self.keys or [self._new_key]
        elif "/paymentAccounts/" in path:
            query = {name: value for name, (value,) in parse_qs(environ["QUERY_STRING"]).items()}
            key = environ["HTTP_AUTHORIZATION"].removeprefix("PublicApiKey ")
            asked = {"account": unquote(path.rpartition("/")[2]), "key": key, **query}
            self.looked_up.append(asked)
            status, body = self._card(asked)
            start(f"{status} Answered", [("Content-Type", "application/json")])
            return [body if isinstance(body, bytes) else json.dumps(body).encode()]
        return super().__call__(environ, start)

    def approve(self, sent: Sent) -> tuple[int, object]:
        """Carry an authorization out, unless the gateway declines."""
        return (200, approved(sent, state="Errored")) if self.declines else super().approve(sent)

    def _card(self, asked: dict[str, str]) -> tuple[int, object]:
        if asked["key"] in self.refused:
            return 401, {"code": "4401002", "details": {"message": "no such key"}}
        return self.cards.pop(0)(asked) if self.cards else (200, self.account)

    def _new_key(self, _: object) -> tuple[int, object]:
        names = {"apiKey": f"api-key-{self.keys_asked}", "encryptionKey": f"encryption-key-{self.keys_asked}"}
        if self.key_lives is None:
            return 200, names
        return 200, names | {"expiresAt": (gateways.clock().now() + self.key_lives).isoformat()}


_E = payments.errors
_KINDS: dict[type[_E.OperationError], str] = {
    _E.CardRefused: "card_refused three_ds_failed",
    _E.InsideTransaction: "inside_transaction",
    _E.InvalidInput: "argument_invalid fields_invalid wallet_session_unknown",
    _E.InvalidState: "changed_meanwhile too_many_results",
    _E.OperationError: "pricing_invalid",
    _E.OrderNotPayable: "order_not_payable order_ended",
    _E.PriceChanged: "price_changed",
    _E.SendingStopped: "sending_stopped",
    _E.TryAgain: "try_again",
    _E.WalletUnavailable: "wallet_unavailable wallet_limit_reached",
}
"""The documented class of each error of the button, by its code."""


@contextmanager
def refused(
    code: str, *, says: str = "", **params: object
) -> Iterator[pytest.ExceptionInfo[_E.OperationError]]:
    """See that the block raises the error of this code, with these words and parameters."""
    (kind,) = [kind for kind, codes in _KINDS.items() if code in codes.split()]
    with refuses(kind, _E.ErrorCode(code), says=says, **params) as error:
        yield error


def detail_for(reference: str, **changes: Any) -> dict[str, Any]:
    """Return what the page posts of a tokenized card that was approved; None leaves a field out."""
    given = {
        "clientSystemTransactionId": reference,
        "transactionAccountId": f"A-{reference}",
        "transactionMethod": "WalletPay",
        "cryptogram": CRYPTOGRAM,
        "eciIndicator": "05",
    }
    return {name: value for name, value in (given | changes).items() if value is not None}


@dataclass
class Customer:
    """One browser session of a customer of a shop."""

    shop: Shop
    gateway: WalletGateway
    session: str = "session-of-ada"

    def order(self, **given: Any) -> PaymentOrder:
        """Make an order of the shop."""
        return self.shop.order(**given)

    def elsewhere(self, session: str) -> Customer:
        """Return the browser of somebody else, or another one."""
        return Customer(self.shop, self.gateway, session)

    def configure(self, **wallet: Any) -> None:
        """Change options of the button, as ``EMAIL_REQUIRED=True``."""
        self.shop.configure(WALLET=WALLET | wallet)

    def limit(self, *, pricing: str = "", **limits: int) -> None:
        """Set these limits of a button, and no others that are ever reached; most of them are no settings."""
        self.configure(PRICING=pricing)
        given = conf.gateway_settings("default")
        assert given.wallet is not None
        wanted = WalletLimits(**{name.lower(): limits.get(name, 1000) for name in LIMITS})
        vars(given)["wallet"] = replace(given.wallet, limits=wanted)

    def without_wallet(self) -> None:
        """Take the button out of the settings."""
        given = self.shop.settings.WALLET_GATEWAY
        account = {name: value for name, value in given["GATEWAYS"]["default"].items() if name != "WALLET"}
        self.shop.settings.WALLET_GATEWAY = given | {"GATEWAYS": {"default": account}}
        self.shop.configure()

    def stop_sending(self) -> None:
        """Let the settings stop whatever moves money."""
        self.shop.configure(SENDING_ENABLED=False)

    def pause_sending(self) -> None:
        """Let the gateway want to be left alone for five minutes, as another process has seen."""
        until = self.shop.clock.now() + timedelta(minutes=5)
        GatewayPause.row_of("default").update(sending_until=until)

    def meanwhile(self, happens: Callable[[], object]) -> None:
        """Let this happen while the next card is looked up."""

        def look_up(_: object) -> tuple[int, object]:
            happens()
            return 200, self.gateway.account

        self.gateway.cards.append(look_up)

    def open(self, order: PaymentOrder, language: str = "") -> WalletSession:
        """Load the page with the button."""
        return payments.wallet.open_session(order, session=self.session, language=language)

    def asked_of_sheet(self, order: PaymentOrder) -> dict[str, Any]:
        """Return the optional parameters of a button."""
        optional: dict[str, Any] = self.open(order).parameters["optionalParams"]
        return optional

    def post(self, order: PaymentOrder | str, detail: Any) -> Payment:  # noqa: ANN401  what a page may post
        """Let the page post a result."""
        return payments.wallet.pay(order, session=self.session, detail=detail)

    def pay(self, order: PaymentOrder, **changes: Any) -> Payment:
        """See the button, approve a card, and have the result posted."""
        return self.post(order, detail_for(self.open(order).reference, **changes))

    def another_card(self, order: PaymentOrder, after: str = "") -> str:
        """Ask for a reference after a decline, in the same sheet."""
        return payments.wallet.next_reference(order, session=self.session, after=after)

    def price(
        self, order: PaymentOrder, reference: str, country: str = "", option: str | None = None, *codes: str
    ) -> SheetPrice:
        """Choose an address, a way of shipping and codes on the sheet."""
        address = {"countryCode": country} if country else None
        return payments.wallet.price_sheet(
            order,
            reference=reference,
            session=self.session,
            shipping_address=address,
            shipping_option=option,
            offers=codes,
        )

    def attempt(self, reference: str) -> Payment:
        """Read an attempt, as a page does that asks what became of it."""
        return payments.orders.attempt_for(reference)

    def report(
        self, order: PaymentOrder, reference: str, event: str = "ERROR", message: str = "HTTP 401"
    ) -> bool:
        """Let the page report an event."""
        return payments.wallet.record_event(
            order, reference=reference, session=self.session, event=event, message=message
        )


class _Narrow:
    """Lets everything through but authorizations, for which no connection is to be had."""

    def __init__(self, inner: Transport) -> None:
        self._inner = inner

    def send(self, method: str, path: str, **given: Any) -> RawAnswer:
        if path.endswith("/transactions"):
            raise NotSent(NotSentReason.REFUSED_CONNECTION, detail="connection refused")
        return self._inner.send(method, path, **given)

    def close(self) -> None:
        """There is no connection."""


@contextmanager
def no_authorization_leaves(shop: Shop) -> Iterator[None]:
    """Let no authorization leave the shop for a while; cards can be looked up."""
    base_url = conf.gateway_settings("default").base_url
    gateways.use_transport(_Narrow(InProcessTransport(shop.gateway, base_url=base_url)), alias="default")
    yield
    shop.configure()
