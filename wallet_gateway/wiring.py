"""Where settings become objects: one client per gateway alias and process, and the database's clock."""

from __future__ import annotations

import logging
import threading
import time
from datetime import UTC, datetime, timedelta
from functools import partial

from django.core.signals import setting_changed
from django.db import connection
from django.utils import timezone
from django.utils.module_loading import import_string

from wallet_gateway import conf
from wallet_gateway.client.calls import EndedCall
from wallet_gateway.client.gateway import Gateway
from wallet_gateway.client.transport import Transport
from wallet_gateway.conf.rules import SETTING
from wallet_gateway.signals import gateway_called

logger = logging.getLogger("wallet_gateway.wiring")

_LOOK_AGAIN_AFTER = 30.0
_NOW = {
    "postgresql": "SELECT clock_timestamp()",
    "mysql": "SELECT UTC_TIMESTAMP(6)",
}

_gateways: dict[str, Gateway] = {}
_transports: list[Transport] = []
_lock = threading.Lock()


def gateway(alias: str) -> Gateway:
    """Return the client of one gateway; made once, shared by all threads of the process."""
    with _lock:
        if alias not in _gateways:
            _gateways[alias] = _make(alias, conf.gateway_settings(alias))
        return _gateways[alias]


def _make(alias: str, given: conf.GatewaySettings) -> Gateway:
    auth = import_string(given.auth) if given.auth else None
    transport = Transport(
        base_url=given.base_url,
        connect_timeout=given.connect_timeout,
        read_timeout=given.read_timeout,
        total_timeout=given.total_timeout,
        keepalive_idle=given.keepalive_idle,
        auth=auth,
    )
    _transports.append(transport)
    return Gateway(
        account=given.account, transport=transport, paths=given.paths, observer=partial(_tell, alias)
    )


def _tell(alias: str, call: EndedCall) -> None:
    # Robust: a receiver that fails is logged, and a payment goes on.
    try:
        gateway_called.send_robust(sender=Gateway, gateway=alias, call=call)
    except AttributeError as error:
        # Django's own log of a failed receiver asks it for a name, which a partial, for one, does not have.
        logger.error("a receiver of gateway_called failed: %s", type(error).__name__)


def forget_gateways() -> None:
    """Close all clients; the next call makes new ones from the settings as they then are."""
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
    """The database's time, so that leases and timetables mean the same on every machine.

    The database is asked every thirty seconds how far this machine's clock is off; between two questions
    the monotonic clock counts.
    """

    def __init__(self) -> None:
        # One value, so that another thread never sees a new base with an old reading.
        self._reading: tuple[datetime, float] | None = None

    def now(self) -> datetime:
        """Return the present instant, aware."""
        if self._reading is not None:
            base, read_at = self._reading
            elapsed = time.monotonic() - read_at
            if elapsed <= _LOOK_AGAIN_AFTER:
                return base + timedelta(seconds=elapsed)
        base = _database_now()
        self._reading = base, time.monotonic()
        return base


def _database_now() -> datetime:
    statement = _NOW.get(connection.vendor)
    if statement is None:
        # SQLite lives in this process; its clock is ours.
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute(statement)
        instant: datetime = cursor.fetchone()[0]
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)


_clock = DatabaseClock()


def clock() -> DatabaseClock:
    """Return the process's clock."""
    return _clock
