"""Checks of a gateway without moving money: queries about a reference and an account that do not exist."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, timedelta
from email.utils import parsedate_to_datetime
from http import HTTPStatus

from django.core.exceptions import ImproperlyConfigured
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from wallet_gateway import conf
from wallet_gateway.client.errors import GatewayError, NotSent, OutcomeUnknown, Refused
from wallet_gateway.client.exchange import Exchange
from wallet_gateway.client.transport import proxy_of
from wallet_gateway.context import GatewayContext
from wallet_gateway.doctor.host import CLOCK_MAY_DIFFER_SECONDS
from wallet_gateway.domain.policy import GatewayAddress
from wallet_gateway.findings import Code, Finding, error, ok, warning
from wallet_gateway.gateways import context_of, live_aliases
from wallet_gateway.gateways import is_test as is_test_gateway
from wallet_gateway.reports.health import payments_by_mode, payments_of_former_accounts
from wallet_gateway.wallet_keys import PublicKey, refuses_key, stored_key, take_out_of_use, try_out

_LOOKED_BACK = timedelta(days=180)
_ABOUT_US = {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}


def look_at_gateway(alias: str) -> Iterator[Finding]:
    """Send harmless queries to check connection, credentials, wallet key and the clock of a gateway."""
    subject = f"gateway {alias}"
    try:
        given, context = conf.gateway_settings(alias), context_of(alias)
    except ImproperlyConfigured as failure:
        # An account may go between its listing and this look, and so may a certificate's file.
        yield error(Code.GATEWAY_UNREACHABLE, subject, error=str(failure))
        return
    if not given.policy.sending:
        yield warning(Code.SENDING_DISABLED, subject)
    live, is_test = live_aliases(), is_test_gateway(alias)
    if is_test and (count := payments_by_mode(alias, is_test=False)):
        yield warning(Code.LIVE_BEHIND_TEST, subject, count=count)
    # What nobody can capture or refund, because the alias was given another account.
    account, since = (given.account.merchant_id, given.account.store_id), timezone.now() - _LOOKED_BACK
    for used, count in payments_of_former_accounts(alias, now=account, since=since, live=live).items():
        names = dict(zip(("merchant", "store"), used, strict=True))
        yield error(Code.MERCHANT_ACCOUNT_CHANGED, subject, count=count, **names)
    if (proxy := proxy_of(given.proxy, given.base_url)) is not None:
        message = _("reached through the proxy %(proxy)s, as %(setting)s says")
        yield ok(subject, message, proxy=proxy.shown, setting=proxy.named_by)
    exchange: Exchange | None
    try:
        answer = context.gateway.status(context.new_reference())
    except GatewayError as failure:
        exchange = failure.exchange
        yield _failed(subject, failure, context.policy.address)
    else:
        exchange = answer.exchange
        milliseconds = round(answer.exchange.elapsed_seconds * 1000)
        message = _("reached, and it takes our credentials; it answered in %(milliseconds)d ms")
        yield ok(subject, message, milliseconds=milliseconds)
        yield from _wallet_key(subject, context)
    now = timezone.now()
    try:
        there = parsedate_to_datetime(exchange.date if exchange else "")
    except ValueError:
        return
    ahead = ((there if there.tzinfo else there.replace(tzinfo=UTC)) - now).total_seconds()
    clock, allowed = f"clock of gateway {alias}", f"{CLOCK_MAY_DIFFER_SECONDS:.0f}"
    if abs(ahead) > CLOCK_MAY_DIFFER_SECONDS:
        yield warning(Code.CLOCK_DIFFERS, clock, seconds=f"{ahead:+.0f}")
    else:
        message = _("agrees with the gateway %(gateway)s within %(seconds)s s")
        yield ok(clock, message, gateway=alias, seconds=allowed)


def _failed(subject: str, failure: GatewayError, address: GatewayAddress) -> Finding:
    if isinstance(failure, NotSent) and address.start_command:
        told = {"address": address.url, "error": str(failure), "command": address.start_command}
        return error(Code.SANDBOX_NOT_STARTED, subject, **told)
    if isinstance(failure, NotSent):
        return error(Code.GATEWAY_UNREACHABLE, subject, address=address.url, error=str(failure))
    if isinstance(failure, Refused) and failure.http_status in _ABOUT_US:
        return error(Code.CREDENTIALS_REFUSED, subject, error=str(failure))
    if isinstance(failure, OutcomeUnknown) and failure.retry_after is not None:
        return warning(Code.GATEWAY_BUSY, subject, error=str(failure))
    return error(Code.UNEXPECTED_ANSWER, subject, error=str(failure))


def _wallet_key(subject: str, context: GatewayContext) -> Iterator[Finding]:
    """Try the stored wallet key, if there is one; a refused one is taken out of use."""
    key = stored_key(context=context) if context.cipher is not None else None
    if key is None:
        return
    failure = try_out(key, context=context)
    if failure is None or (isinstance(failure, Refused) and failure.http_status not in _ABOUT_US):
        # Whatever it says of the account, it took the key.
        yield ok(subject, _("it takes the stored wallet key"))
    elif refuses_key(failure) and not _refuses_new_key(key, context):
        take_out_of_use(key.row, context=context)
        yield warning(Code.WALLET_KEY_REFUSED, subject)
    else:
        yield warning(Code.WALLET_KEY_NOT_TRIED, subject, error=str(failure))


def _refuses_new_key(key: PublicKey, context: GatewayContext) -> bool:
    """Return whether the gateway refuses a new key as well: then its refusal says nothing about the key."""
    try:
        new = context.gateway.public_key().message
    except GatewayError:
        return False
    fresh = replace(key, api_key=new.api_key, encryption_key=new.encryption_key)
    return refuses_key(try_out(fresh, context=context))
