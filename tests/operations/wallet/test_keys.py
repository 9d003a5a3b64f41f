"""The gateway's keys: one for all processes, renewed in time, sealed at rest, and no button without one."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from itertools import count
from typing import Any

import pytest
from cryptography.fernet import Fernet

from tests.operations.conftest import MakeContext, MakeOrder, VirtualClock
from tests.operations.dying import Killed, interrupted, kill
from tests.operations.journal import times_sent
from tests.operations.wallet_customer import Customer
from tests.refusals import refuses
from wallet_gateway.client.exchange import Answer, Exchange
from wallet_gateway.client.gateway import Gateway
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.gateway_address import GatewayAddress
from wallet_gateway.models import (
    GatewayPause,
    PaymentOrder,
    WalletAttempt,
    WalletKey,
)
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import WalletUnavailable
from wallet_gateway.operations.wallet.encryption import UnreadableSecret, WalletCipher
from wallet_gateway.operations.wallet.keys import (
    RENEW_BEFORE,
    current_key,
    erase_old_keys,
    opened,
)
from wallet_gateway.operations.wallet.session import next_reference
from wallet_gateway.protocol.accounts import PublicKeyResponse
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
NO_EXCHANGE = Exchange(
    method="POST",
    url_path="/",
    http_status=200,
    request_body="",
    answer_body="",
    elapsed_seconds=0.0,
    sent=True,
)


# Keys of a gateway that says less, or gives them for a shorter time


def _giving(context: GatewayContext, answer: Callable[[], dict[str, str]]) -> GatewayContext:
    """Return a context whose key service gives these bodies, one more each time."""
    numbers = count(1)

    def public_key() -> Answer[PublicKeyResponse]:
        number = next(numbers)
        keys = {"apiKey": f"pk-{number}", "encryptionKey": f"ek-{number}"} | answer()
        return Answer(message=PublicKeyResponse.from_wire(keys), exchange=NO_EXCHANGE)

    half = copy.copy(context.gateway)
    setattr(half, "public_key", public_key)  # noqa: B010  a method of one instance
    return replace(context, gateway=half)


def _living(context: GatewayContext, clock: VirtualClock, life: timedelta) -> GatewayContext:
    return _giving(context, lambda: {"expiresAt": (clock.now() + life).isoformat()})


def test_keys_without_an_end_live_as_long_as_the_settings_say(
    context: GatewayContext, clock: VirtualClock
) -> None:
    assert context.wallet is not None
    wallet = replace(context.wallet, key_lifetime=timedelta(minutes=5))
    shop = _giving(replace(context, wallet=wallet), dict)

    first = current_key(context=shop)
    assert first.row.expires_at == clock.now() + timedelta(minutes=5)
    clock.advance(minutes=4)
    assert current_key(context=shop).api_key == "pk-2"


@pytest.mark.parametrize("seconds", [10, 60, 119, 120, 300, 601])
def test_a_key_of_a_short_life_serves_the_first_half_of_it_and_is_then_renewed(
    seconds: int, context: GatewayContext, clock: VirtualClock
) -> None:
    shop = _living(context, clock, timedelta(seconds=seconds))
    assert current_key(context=shop).api_key == "pk-1"
    clock.advance(seconds=seconds * 0.45)
    assert current_key(context=shop).api_key == "pk-1"
    clock.advance(seconds=seconds * 0.1)
    assert current_key(context=shop).api_key == "pk-2"


def test_a_key_of_a_short_life_is_good_enough_for_three_quarters_while_the_service_fails(
    context: GatewayContext, clock: VirtualClock, wallet_sandbox: SandboxControl
) -> None:
    current_key(context=_living(context, clock, timedelta(seconds=80)))
    wallet_sandbox.fault("public_key", "status_before", status=503, times=20)
    clock.advance(seconds=55)
    assert current_key(context=context).api_key == "pk-1"
    clock.advance(seconds=6)
    with pytest.raises(WalletUnavailable):
        current_key(context=context)


@pytest.mark.parametrize("life", [timedelta(0), timedelta(seconds=-1)])
def test_a_key_that_has_ended_is_no_button(
    life: timedelta, context: GatewayContext, clock: VirtualClock
) -> None:
    with pytest.raises(WalletUnavailable):
        current_key(context=_living(context, clock, life))


def test_what_is_stored_of_a_key_is_ciphertext(context: GatewayContext) -> None:
    key = current_key(context=context)
    row = WalletKey.objects.get()
    for secret in (key.api_key, key.encryption_key):
        assert secret.encode() not in bytes(row.api_key) + bytes(row.encryption_key)
        assert secret not in repr(key)
    assert opened(row, context).api_key == key.api_key


def test_a_key_is_renewed_before_it_ends_by_one_process(
    context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    first = current_key(context=context)
    clock.advance_to(first.row.expires_at - RENEW_BEFORE)
    # Another process is at it: this one goes on with what there is.
    WalletKey.objects.update(renewing_until=clock.now() + timedelta(seconds=60))
    assert current_key(context=context).row == first.row
    assert times_sent(wallet_sandbox, "public_key") == 1

    clock.advance(seconds=61)
    renewed = current_key(context=context)
    assert renewed.row != first.row
    assert renewed.api_key != first.api_key
    assert times_sent(wallet_sandbox, "public_key") == 2


def test_while_the_key_service_fails_a_key_that_has_not_ended_is_good_enough(
    context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    first = current_key(context=context)
    clock.advance_to(first.row.expires_at - RENEW_BEFORE)
    wallet_sandbox.fault("public_key", "status_before", status=503, times=10)
    assert current_key(context=context).row == first.row


def test_for_half_a_minute_after_a_failure_nobody_waits_for_the_key_service_and_then_it_is_asked_again(
    context: GatewayContext, make_context: MakeContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    wallet_sandbox.fault("public_key", "status_before", status=503, times=4)
    for machine in (context, context, make_context()):
        with pytest.raises(WalletUnavailable):
            current_key(context=machine)
    assert times_sent(wallet_sandbox, "public_key") == 4, (
        "the first page waits through all tries, the others not at all"
    )

    clock.advance(seconds=31)
    assert current_key(context=context).api_key
    assert GatewayPause.objects.get().keys_until is None
    assert times_sent(wallet_sandbox, "public_key") == 5


def test_a_key_service_that_has_failed_is_tried_by_one_process_while_the_others_go_on(
    context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    wallet_sandbox.fault("public_key", "error_body", status=400)
    with pytest.raises(WalletUnavailable):
        current_key(context=context)
    clock.advance(seconds=31)
    beside = []

    def meanwhile(_: float) -> None:
        with pytest.raises(WalletUnavailable):
            current_key(context=context)
        beside.append(times_sent(wallet_sandbox, "public_key"))

    wallet_sandbox.fault("public_key", "drop_before", times=2)
    assert current_key(context=replace(context, sleep=meanwhile)).api_key
    assert beside == [2, 3], "each of these is the one process's own try"


def test_a_process_that_dies_at_the_key_service_keeps_the_others_from_it_for_a_minute(
    context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    GatewayPause.objects.create(gateway="default", keys_until=clock.now())
    with pytest.raises(Killed):
        current_key(context=interrupted(context, before=kill))
    with pytest.raises(WalletUnavailable):
        current_key(context=context)
    clock.advance(seconds=61)
    assert current_key(context=context).api_key


def test_a_key_that_ended_before_it_came_is_none(
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock.instant += timedelta(days=1)
    for _ in range(2):
        with pytest.raises(WalletUnavailable):
            current_key(context=context)
    assert times_sent(wallet_sandbox, "public_key") == 1
    assert "or our clock is off" in caplog.text


def test_a_key_sealed_with_a_key_that_is_gone_is_fetched_anew(
    context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    current_key(context=context)
    elsewhere = replace(context, cipher=WalletCipher([Fernet.generate_key().decode()]))
    with pytest.raises(UnreadableSecret):
        opened(WalletKey.objects.get(), elsewhere)
    assert current_key(context=elsewhere).api_key
    assert times_sent(wallet_sandbox, "public_key") == 2


def test_keys_are_erased_a_day_after_their_end(context: GatewayContext, clock: VirtualClock) -> None:
    key = current_key(context=context)
    clock.advance_to(key.row.expires_at)
    assert erase_old_keys(context=context) == 0
    clock.advance(days=1)
    assert erase_old_keys(context=context) == 1
    assert erase_old_keys(context=context) == 0
    row = WalletKey.objects.get()
    assert bytes(row.api_key) == bytes(row.encryption_key) == b""


# A key is its account's


@pytest.mark.parametrize("changed", [{"store_id": "NEW"}, {"merchant_id": "NEW"}, {}], ids=str)
def test_after_a_change_of_the_account_its_former_key_is_used_by_nobody(
    context: GatewayContext, wallet_sandbox: SandboxControl, changed: dict[str, Any]
) -> None:
    """The last case is another address under the same account."""
    wallet_sandbox.add_merchant(merchant_id="NEW", store_id="SANDBOX-STORE", user_id="sandbox-user")
    wallet_sandbox.add_merchant(merchant_id="SANDBOX-MERCHANT", store_id="NEW", user_id="sandbox-user")
    former = current_key(context=context)
    policy = (
        context.policy if changed else replace(context.policy, address=GatewayAddress("https://new.example"))
    )
    account = replace(context.gateway.account, **changed)
    gateway = Gateway(account=account, transport=context.gateway._transport)
    moved = replace(context, gateway=gateway, policy=policy)

    key = current_key(context=moved)

    assert key.row != former.row
    assert times_sent(wallet_sandbox, "public_key") == 2
    with refuses(WalletUnavailable, ErrorCode.WALLET_UNAVAILABLE, says="has expired"):
        opened(former.row, moved)
    # A process that still has the former settings goes on with its own.
    assert current_key(context=context).row == former.row


def test_a_sheet_of_a_former_account_charges_nothing(
    make_order: MakeOrder, customer: Customer, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    button = customer.open(order)
    detail = customer.approve(button)
    gateway = customer.context.gateway
    account = replace(gateway.account, merchant_id="NEW")
    moved = replace(customer.context, gateway=Gateway(account=account, transport=gateway._transport))
    with refuses(WalletUnavailable, ErrorCode.WALLET_UNAVAILABLE, says="has expired"):
        customer.post(order, detail, moved)
    with refuses(WalletUnavailable, ErrorCode.WALLET_UNAVAILABLE, says="has expired"):
        replace(customer, context=moved).another_card(order)
    assert times_sent(wallet_sandbox, "authorization") == 0


def test_another_card_of_an_open_sheet_has_its_key_although_a_button_with_a_newer_one_was_shown(
    customer: Customer, make_order: MakeOrder, clock: VirtualClock
) -> None:
    order = make_order()
    first = customer.open(order)
    WalletAttempt.objects.update(results_count=1)
    clock.advance(
        seconds=(WalletKey.objects.get().expires_at - clock.now() - RENEW_BEFORE / 2).total_seconds()
    )
    second = customer.open(PaymentOrder.objects.get())
    keys = dict(WalletAttempt.objects.values_list("transaction__reference", "key"))
    assert keys[first.reference] != keys[second.reference]

    another = next_reference(
        order=PaymentOrder.objects.get(),
        session=customer.session,
        context=customer.context,
        after=first.reference,
    )
    assert WalletAttempt.objects.get(transaction__reference=another).key_id == keys[first.reference]
