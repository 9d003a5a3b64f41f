"""Create objects from settings: one client and one context per gateway alias, the clock, addresses."""

from __future__ import annotations

import inspect
import logging
import threading
from dataclasses import dataclass
from functools import partial
from ssl import SSLContext
from typing import Any, cast
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured
from django.core.signals import setting_changed
from django.urls import reverse
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from wallet_gateway import conf, return_tokens
from wallet_gateway.client.errors import NotSent, NotSentReason
from wallet_gateway.client.exchange import CallRecord, SigningAccount
from wallet_gateway.client.gateway import Gateway
from wallet_gateway.client.transport import (
    Auth,
    HttpTransport,
    Limits,
    Transport,
    proxy_of,
    tls_context,
)
from wallet_gateway.conf.fields import SETTING
from wallet_gateway.conf.model import GatewaySettings
from wallet_gateway.context import DatabaseClock, GatewayContext
from wallet_gateway.domain.states import PAYABLE_STATES, OrderState
from wallet_gateway.encryption import WalletCipher
from wallet_gateway.models import PaymentOrder
from wallet_gateway.operation_errors import WalletUnavailable
from wallet_gateway.protocol.checkout import RedirectDetails
from wallet_gateway.protocol.endpoints import CREATE_PAYMENT_ACCOUNT
from wallet_gateway.reports.attempts import may_turn_out_paid
from wallet_gateway.return_tokens import ReturnOutcome
from wallet_gateway.signals import gateway_called
from wallet_gateway.wallet_keys import current_key

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Client:
    """A gateway's client, and the settings that it was made from."""

    gateway: Gateway
    given: GatewaySettings
    transport: Transport

    def close(self) -> None:
        if isinstance(self.transport, HttpTransport):
            self.transport.close()


_clients: dict[str, _Client] = {}
_replaced: dict[str, Transport] = {}
"""What `use_transport` has given."""
_ssl_contexts: dict[tuple[str | None, str | tuple[str, str] | None], SSLContext] = {}
_lock = threading.Lock()


def gateway(alias: str) -> Gateway:
    """Return the client of one gateway, shared by all threads of the process.

    It is made once, and again when the gateway's account has changed. Raises `ImproperlyConfigured` if there
    is no such gateway, or its account is wrong.
    """
    return _client(alias).gateway


def _client(alias: str) -> _Client:
    given = conf.gateway_settings(alias)
    with _lock:
        known = _clients.get(alias)
        # The settings may be read by two threads at once: equal ones are the same account.
        if known is not None and (known.given is given or known.given == given):
            return known
        try:
            made = _over(_replaced.get(alias) or _transport(given), given)
        except OSError as error:
            # A file that was right when the settings were judged is not any more.
            message = f"gateway {given.alias!r}: CA_FILE or CLIENT_CERT: {error}"
            raise ImproperlyConfigured(message) from error
        _clients[alias] = made
        if known is not None:
            known.close()
        return made


def _transport(given: GatewaySettings) -> HttpTransport:
    try:
        proxy = proxy_of(given.proxy, given.base_url)
    except ValueError as error:
        raise ImproperlyConfigured(f"gateway {given.alias!r}: {error}") from error
    ssl_context = None
    if urlsplit(given.base_url).scheme == "https":
        # A thousand accounts at one address share it.
        files = given.ca_file, given.client_cert
        if files not in _ssl_contexts:
            _ssl_contexts[files] = tls_context(*files)
        ssl_context = _ssl_contexts[files]
    return HttpTransport(
        base_url=given.base_url,
        limits=Limits(**dict(given.timeout)),
        auth=auth_of(given),
        proxy=proxy.url if proxy else None,
        ssl_context=ssl_context,
    )


def auth_of(given: GatewaySettings) -> Auth | None:
    """Return what signs a gateway's requests; None if nothing does.

    A callable that has a parameter `account` is given the account; any other is given the request alone.
    """
    if not given.auth:
        return None
    sign = import_string(given.auth)
    try:
        takes_account = "account" in inspect.signature(sign).parameters
    except (TypeError, ValueError):
        # Written in C: it tells nothing of its parameters.
        takes_account = False
    if not takes_account:
        return cast(Auth, sign)
    account = SigningAccount(
        gateway=given.alias, merchant=given.account, base_url=given.base_url, secrets=given.auth_secrets
    )
    return cast(Auth, partial(sign, account=account))


def _over(transport: Transport, given: GatewaySettings) -> _Client:
    client: type[Gateway] = import_string(given.client_class) if given.client_class else Gateway
    gateway = client(
        account=given.account,
        transport=transport,
        paths=given.paths,
        observer=partial(_tell, given.alias),
        # Of the same account, even if another one has this alias by then.
        api_key=lambda: _api_key(made),
    )
    made = _Client(gateway=gateway, given=given, transport=transport)
    return made


def _api_key(client: _Client) -> str:
    """Return the API key that a gateway's wallet button uses now; raise NotSent if there is none."""
    try:
        return current_key(context=_context(client)).api_key
    except WalletUnavailable as error:
        detail = error.english
    raise NotSent(NotSentReason.NO_API_KEY, detail=detail)


def is_test(alias: str) -> bool:
    """Return whether a gateway moves no real money: it has the profile 'test'.

    False for an alias without a usable account: without proof of a test, money counts as real.
    """
    given = conf.find_gateway(alias)
    return given is not None and given.account.profile != "prod"


def live_aliases() -> tuple[str, ...]:
    """Return the gateways that move real money now, and leave alone what was a test before."""
    return tuple(alias for alias in conf.settings().gateways if not is_test(alias))


def awaits_missing_gateway(order: PaymentOrder) -> bool:
    """Return whether an order may turn out to be paid at a gateway that no usable account is called.

    Nobody can ask that gateway, so the customer must neither pay again nor read that nothing was paid.
    """
    unpaid = order.state in {*PAYABLE_STATES, OrderState.PENDING}
    return unpaid and conf.find_gateway(order.gateway) is None and may_turn_out_paid(order)


def use_transport(transport: Transport, *, alias: str) -> None:
    """Use this transport for a gateway until `forget_gateways` or a change of settings. For tests."""
    given = conf.gateway_settings(alias)
    with _lock:
        _replaced[alias] = transport
        _clients[alias] = _over(transport, given)


def _tell(alias: str, call: CallRecord) -> None:
    # Robust: a failing receiver is logged, and the payment continues.
    gateway_called.send_robust(sender=Gateway, gateway=alias, call=call)


def forget_gateways() -> None:
    """Close all clients; the next call creates new ones from the settings of that time."""
    with _lock:
        for client in _clients.values():
            client.close()
        _clients.clear()
        _replaced.clear()
        _ssl_contexts.clear()


def _on_setting_changed(*, setting: str, **_: object) -> None:
    if setting == SETTING:
        forget_gateways()


setting_changed.connect(_on_setting_changed)


_clock = DatabaseClock()


def clock() -> DatabaseClock:
    """Return the process's clock."""
    return _clock


def use_clock(replacement: DatabaseClock) -> None:
    """Use this clock in the whole process from now on. For tests."""
    global _clock
    _clock = replacement


def usable_context(alias: str) -> GatewayContext | None:
    """Return the context of a gateway; None, with a line in the log, if no usable account has this alias.

    Raises `ImproperlyConfigured` if the settings are wrong as a whole.
    """
    conf.settings()
    try:
        return context_of(alias)
    except ImproperlyConfigured as error:
        logger.error("a payment cannot be asked about: %s", error)
        return None


def context_of(alias: str) -> GatewayContext:
    """Return the context of a gateway alias: its client, its policy and the clock."""
    return _context(_client(alias))


def _context(client: _Client) -> GatewayContext:
    given, wallet = client.given, client.given.wallet_settings
    return GatewayContext(
        alias=given.alias,
        gateway=client.gateway,
        policy=given.policy,
        clock=clock(),
        wallet=given.wallet,
        cipher=cipher_of(given),
        price=_code(wallet.pricing if wallet else ""),
        button_overrides=_code(wallet.button_overrides if wallet else ""),
        authenticate=_code(wallet.three_d_secure if wallet else ""),
    )


def _code(path: str) -> Any:  # noqa: ANN401 - of the shop
    """Return the shop's own function; None where the settings name none."""
    return import_string(path) if path else None


def cipher() -> WalletCipher | None:
    """Return the cipher for stored secrets of the shop; None if the settings have no keys."""
    keys = conf.settings().fernet_keys
    return WalletCipher(keys) if keys else None


def ciphers() -> dict[str, WalletCipher]:
    """Return the cipher of each gateway with keys of its own, and that of the shop under an empty alias."""
    own = {alias: given for alias, given in conf.settings().gateways.items() if given.fernet_keys}
    found = {"": cipher()} | {alias: cipher_of(given) for alias, given in own.items()}
    return {alias: one for alias, one in found.items() if one is not None}


def cipher_of(given: GatewaySettings) -> WalletCipher | None:
    """Return the cipher for one gateway's stored secrets; None without a key, and so without a wallet.

    The gateway's own keys go first, and those of the shop still decrypt what was stored before.
    """
    keys = (*given.fernet_keys, *conf.settings().fernet_keys)
    return WalletCipher(keys) if keys else None


def wallet_script_settings(alias: str) -> dict[str, str | None]:
    """Return what our wallet.js must know of a gateway with a wallet, as `createWallet` takes it.

    Raises `ImproperlyConfigured` if the gateway has no wallet.
    """
    given = conf.gateway_settings(alias)
    if given.wallet is None:
        raise ImproperlyConfigured(f"gateway {alias!r} has no WALLET")
    return {
        "gatewayUrl": given.wallet.gateway_url,
        "gatewayName": given.wallet.gateway_name,
        "payJsUrl": given.wallet.pay_js_url,
        # None: that of the interface.
        "accountPath": given.paths.get(CREATE_PAYMENT_ACCOUNT.name),
        "failedMessage": _("Nothing was charged. Take another card, or close your wallet and try again."),
    }


def return_urls(reference: str, *, gateway: str = "default") -> RedirectDetails:
    """Return the six absolute URLs by which a customer comes back from one attempt to pay at a gateway."""
    origin = conf.gateway_settings(gateway).public_origin
    urls = {
        f"{outcome}_url": origin
        + reverse("wallet_gateway:return", args=[return_tokens.sign(reference, outcome)])
        for outcome in ReturnOutcome
    }
    return RedirectDetails.build(**urls)
