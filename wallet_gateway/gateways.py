"""Create objects from settings: one client and one context per gateway alias, the clock, addresses."""

from __future__ import annotations

import logging
import threading
import time
from datetime import UTC, datetime, timedelta
from functools import partial

from django.core.exceptions import ImproperlyConfigured
from django.core.signals import setting_changed
from django.db import connection
from django.urls import reverse
from django.utils import timezone
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from wallet_gateway import conf, return_tokens
from wallet_gateway.client.calls import CallRecord
from wallet_gateway.client.errors import NotSent, NotSentReason
from wallet_gateway.client.gateway import Gateway
from wallet_gateway.client.http_transport import HttpTransport
from wallet_gateway.client.transport import Transport
from wallet_gateway.conf.rules import SETTING
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import WalletUnavailable
from wallet_gateway.operations.wallet.encryption import WalletCipher
from wallet_gateway.operations.wallet.keys import current_key
from wallet_gateway.protocol.checkout import RedirectDetails
from wallet_gateway.protocol.endpoints import CREATE_PAYMENT_ACCOUNT
from wallet_gateway.return_tokens import ReturnOutcome
from wallet_gateway.signals import gateway_called

logger = logging.getLogger("wallet_gateway.gateways")

_LOOK_AGAIN_AFTER = 30.0
_NOW = {
    "postgresql": "SELECT clock_timestamp()",
    "mysql": "SELECT UTC_TIMESTAMP(6)",
}

_PLACE = "-token-"
_gateways: dict[str, Gateway] = {}
_contexts: dict[str, GatewayContext] = {}
_transports: list[HttpTransport] = []
_lock = threading.Lock()


def gateway(alias: str) -> Gateway:
    """Return the client of one gateway; created once, shared by all threads of the process."""
    with _lock:
        if alias not in _gateways:
            _gateways[alias] = _make(alias, conf.gateway_settings(alias))
        return _gateways[alias]


def _make(alias: str, given: conf.GatewaySettings) -> Gateway:
    auth = import_string(given.auth) if given.auth else None
    transport = HttpTransport(
        base_url=given.base_url,
        connect_timeout=given.connect_timeout,
        read_timeout=given.read_timeout,
        total_timeout=given.total_timeout,
        keepalive_idle=given.keepalive_idle,
        auth=auth,
        ca_file=given.ca_file,
        client_cert=given.client_cert,
    )
    _transports.append(transport)
    return _over(transport, alias, given)


def _over(transport: Transport, alias: str, given: conf.GatewaySettings) -> Gateway:
    client: type[Gateway] = import_string(given.client_class) if given.client_class else Gateway
    return client(
        account=given.account,
        transport=transport,
        paths=given.paths,
        observer=partial(_tell, alias),
        api_key=partial(_api_key, alias),
    )


@sensitive_variables()
def _api_key(alias: str) -> str:
    """Return the API key that a gateway's wallet button uses now; raise NotSent if there is none."""
    try:
        return current_key(context=context_of(alias)).api_key
    except WalletUnavailable as error:
        detail = error.code.value
    raise NotSent(NotSentReason.NO_API_KEY, detail=detail)


def is_test(alias: str) -> bool:
    """Return whether a gateway moves no real money: it has the profile 'test'.

    False for an alias that the settings do not have: without proof of a test, money counts as real.
    """
    try:
        return conf.gateway_settings(alias).account.profile != "prod"
    except ImproperlyConfigured:
        return False


def use_transport(transport: Transport, *, alias: str) -> None:
    """Use this transport for a gateway until `forget_gateways` or a change of settings. For tests."""
    with _lock:
        _gateways[alias] = _over(transport, alias, conf.gateway_settings(alias))


def _tell(alias: str, call: CallRecord) -> None:
    # Robust: a failing receiver is logged, and the payment continues.
    try:
        gateway_called.send_robust(sender=Gateway, gateway=alias, call=call)
    except AttributeError as error:
        # Django's own log of a failed receiver reads its name, which e.g. a partial does not have.
        logger.error("a receiver of gateway_called failed: %s", type(error).__name__)


def forget_gateways() -> None:
    """Close all clients; the next call creates new ones from the settings of that time."""
    with _lock:
        for transport in _transports:
            transport.close()
        _transports.clear()
        _gateways.clear()


def _on_setting_changed(*, setting: str, **_: object) -> None:
    if setting == SETTING:
        forget_gateways()


setting_changed.connect(_on_setting_changed)


class DatabaseClock:
    """The database's time, so that leases and schedules mean the same on every machine.

    Every thirty seconds, the offset between this machine's clock and the database is read; in between, the
    monotonic clock counts.
    """

    def __init__(self) -> None:
        # One value, so that another thread never sees a new base with an old reading.
        self._reading: tuple[datetime, float] | None = None

    def now(self) -> datetime:
        """Return the current time, aware."""
        if self._reading is not None:
            base, read_at = self._reading
            elapsed = time.monotonic() - read_at
            if elapsed <= _LOOK_AGAIN_AFTER:
                return base + timedelta(seconds=elapsed)
        return self.read()

    def read(self) -> datetime:
        """Read the current time from the database, and count from it for the next thirty seconds."""
        base = _database_now()
        self._reading = base, time.monotonic()
        return base


def _database_now() -> datetime:
    statement = _NOW.get(connection.vendor)
    if statement is None:
        # SQLite runs in this process; its clock is ours.
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute(statement)
        instant: datetime = cursor.fetchone()[0]
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)


_clock = DatabaseClock()


def clock() -> DatabaseClock:
    """Return the process's clock."""
    return _clock


def context_of(alias: str) -> GatewayContext:
    """Return the context of a gateway alias: its client, its policy and the clock; one for each process."""
    client, known = gateway(alias), _contexts.get(alias)
    if known is not None and known.gateway is client:
        return known
    # Created again whenever the settings, and so the client, have changed.
    given = conf.gateway_settings(alias)
    context = GatewayContext(
        alias=alias,
        gateway=client,
        policy=given.policy,
        clock=clock(),
        wallet=given.wallet,
        cipher=cipher(),
        price=import_string(given.pricing) if given.pricing else None,
        button_overrides=import_string(given.button_overrides) if given.button_overrides else None,
        authenticate=import_string(given.authenticator) if given.authenticator else None,
    )
    _contexts[alias] = context
    return context


def cipher() -> WalletCipher | None:
    """Return the cipher for stored secrets; None if the settings have no keys, and so no wallet."""
    keys = conf.settings().fernet_keys
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
        "failedMessage": _("Nothing was charged. You can try again, or take another card."),
    }


def return_urls(reference: str) -> RedirectDetails:
    """Return the six absolute URLs by which a customer comes back from one attempt to pay."""
    before, _, after = _return_address().rpartition(_PLACE)

    def url(outcome: ReturnOutcome) -> str:
        return before + return_tokens.sign(reference, outcome) + after

    return RedirectDetails.build(
        return_url=url(ReturnOutcome.RETURN),
        success_url=url(ReturnOutcome.SUCCESS),
        pending_url=url(ReturnOutcome.PENDING),
        error_url=url(ReturnOutcome.ERROR),
        cancel_url=url(ReturnOutcome.CANCEL),
        refused_url=url(ReturnOutcome.REFUSED),
    )


def _return_address() -> str:
    """Return the absolute return URL with a placeholder for its token: resolved once for all six."""
    return conf.settings().public_origin + reverse("wallet_gateway:return", args=[_PLACE])
