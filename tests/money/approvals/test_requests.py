"""What needs a second person is asked for, once, reserves nothing, and ends by a word or by its time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, Permission, User
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.db.models import Model

from tests.money.approvals.people import asked, person
from tests.support.refusals import refuses
from tests.support.shop import Shop, euros, order_of
from wallet_gateway import payments
from wallet_gateway.models import Approval, GatewayTransaction, Payment, TransactionEvent
from wallet_gateway.payments.errors import (
    ErrorCode,
    IdempotencyConflict,
    InvalidInput,
    InvalidState,
    SendingStopped,
)

pytestmark = pytest.mark.django_db
WEEK, SECOND = timedelta(days=7), timedelta(seconds=1)
MUG = payments.Item(product_id="MUG", product_name="Mug", unit_amount=Decimal("8.00"), quantity=1)


@pytest.fixture
def payment(shop: Shop) -> Payment:
    """A payment of 30.00 where one person gives back 5.00 of it alone."""
    shop.configure(APPROVALS={"LIMITS": {"EUR": "5.00"}})
    shop.clock.stop()
    return shop.pay()


def refund(payment: Payment, amount: str | None = None, **given: Any) -> GatewayTransaction:
    wanted = None if amount is None else Decimal(amount)
    return payments.refund(order_of(payment), amount=wanted, **{"by": person("anna")} | given)


def again(request: Approval) -> Approval:
    request.refresh_from_db()
    return request


# Asking


@pytest.mark.every_database
@pytest.mark.parametrize(
    ("before", "amount", "waits"),
    [(None, "5.00", False), (None, "5.01", True), ("2.00", "3.00", False), ("2.00", "3.01", True)],
)
def test_refunds_of_one_payment_add_up_to_the_limit_of_one_person(
    before: str | None, amount: str, waits: bool, payment: Payment, shop: Shop
) -> None:
    if before is not None:
        refund(payment, before)
    if waits:
        assert asked(refund, payment, amount).amount == euros(amount)
    else:
        assert refund(payment, amount).state == "APPROVED"
    assert len(shop.gateway.sent) == (before is not None) + (not waits)


def test_a_request_keeps_all_that_the_operation_needs_and_reserves_nothing(
    payment: Payment, shop: Shop
) -> None:
    given: dict[str, Any] = {"reason_code": "returned", "comment": "box 7", "idempotency_key": "click-1"}
    request = again(asked(refund, payment, "8.00", items=[MUG], **given))
    anna = person("anna")
    assert (request.payment, request.deposit, request.subject, request.decision) == (payment, None, None, "")
    assert (request.gateway, request.kind, request.currency, request.amount_minor) == (
        "default",
        "REFUND",
        "EUR",
        800,
    )
    assert (request.created_by, request.created_by_account) == ("anna", str(anna.pk))
    assert (request.reason_code, request.comment, request.state) == ("returned", "box 7", "WAITING")
    assert (request.idempotency_key, request.outstanding_key) == ("click-1", f"payment:{payment.pk}")
    assert (request.created_at, request.expires_at) == (shop.clock.now(), shop.clock.now() + WEEK)
    assert payments.approvals.waiting() == (request,)
    payment.refresh_from_db()
    assert (payment.refund_reserved, payment.transactions.count(), shop.gateway.sent) == (0, 1, [])

    payments.approvals.approve(request, by=person("bert"))
    (sent,) = shop.gateway.sent
    assert [line["productName"] for line in sent["shoppingCartDetails"]["itemDetails"]] == ["Mug"]


def test_a_detached_refund_waits_with_its_deposit_and_is_sent_with_its_order_number(shop: Shop) -> None:
    shop.configure(APPROVALS={"LIMITS": {"EUR": "5.00"}})
    deposit = shop.deposit()

    def give(amount: str) -> GatewayTransaction:
        given: dict[str, Any] = {"order_number": "A-7", "by": person("anna")}
        return payments.refund_migrated(deposit.parent_transaction_id, Decimal(amount), "EUR", **given)

    assert give("3.00").state == "APPROVED"
    request = asked(give, "3.00")
    assert (request.payment, request.deposit, request.order_number) == (None, deposit, "A-7")
    assert (request.outstanding_key, request.idempotency_key[:9]) == (f"deposit:{deposit.pk}", "approval-")
    assert payments.approvals.approve(request, by=person("bert")).state == "APPROVED"
    assert [sent["providerDiscretionaryData"] for sent in shop.gateway.sent] == ["A-7", "A-7"]


def test_all_that_is_left_is_asked_for_as_an_amount(payment: Payment) -> None:
    assert asked(refund, payment).amount == euros("30.00")


def test_what_cannot_be_done_at_all_is_refused_and_asks_nobody(payment: Payment) -> None:
    with refuses(InvalidState, ErrorCode.AMOUNT_TOO_HIGH):
        refund(payment, "30.01")
    payments.maintenance.stop_sending("default", by="anna", reason="drill")
    with pytest.raises(SendingStopped):
        refund(payment, "20.00")
    assert not Approval.objects.exists()


def test_what_failed_since_the_payment_was_frozen_for_a_moment_asks_nobody(payment: Payment) -> None:
    """What one person may refund alone is tried again by that person."""

    def freeze_for_a_moment(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:  # noqa: ANN401 - Django's
        if not (sql.startswith("UPDATE") and "refund_reserved" in sql):
            return execute(sql, *rest)
        Payment.objects.update(is_frozen=True)
        done = execute(sql, *rest)
        Payment.objects.update(is_frozen=False)
        return done

    with connection.execute_wrapper(freeze_for_a_moment), refuses(InvalidState, ErrorCode.CHANGED_MEANWHILE):
        refund(payment, "3.00")
    assert not Approval.objects.exists()
    assert refund(payment, "3.00").state == "APPROVED"


@pytest.mark.parametrize("operate", [payments.capture, payments.reverse])
def test_captures_and_reversals_take_one_person(
    operate: Callable[..., GatewayTransaction], payment: Payment, shop: Shop
) -> None:
    assert operate(order_of(shop.pay(type="preauthorization")), by="anna").state == "APPROVED"


@pytest.mark.every_database
def test_one_key_is_one_request_and_another_key_has_to_wait(payment: Payment) -> None:
    first = asked(refund, payment, "8.00", idempotency_key="click-1")
    assert asked(refund, payment, "8.00", idempotency_key="click-1") == first
    with refuses(InvalidState, ErrorCode.APPROVAL_PENDING):
        refund(payment, "8.00", idempotency_key="click-2")
    assert Approval.objects.get() == first


# Ends


@pytest.mark.every_database
def test_what_nobody_decides_lapses_in_its_last_moment_and_holds_up_no_further_request(
    payment: Payment, shop: Shop
) -> None:
    others = shop.pay(), shop.pay()
    first = asked(refund, payment, "8.00", items=[MUG])
    of_another, declined = (asked(refund, other, "8.00") for other in others)
    payments.approvals.decline(declined, by="bert", reason="no")
    shop.clock.by += WEEK - SECOND
    payments.sweep()
    assert again(first).state == "WAITING"
    shop.clock.by += first.expires_at - shop.clock.now()  # a sweep takes time of its own
    for work in (payments.approvals.decline, payments.approvals.approve):
        with refuses(InvalidState, ErrorCode.CHANGED_MEANWHILE, says="no longer waits"):
            work(first, by=person("bert"), reason="late")

    second = asked(refund, payment, "8.00")
    assert (again(first).state, first.decided_at) == ("EXPIRED", shop.clock.now())
    assert (again(second).state, again(of_another).state) == ("WAITING", "WAITING"), "it makes room for one"
    payments.sweep()
    assert (again(of_another).state, again(declined).state) == ("EXPIRED", "DECLINED")
    assert (first.outstanding_key, first.sends, first.decided_by) == (None, None, "")


@pytest.mark.parametrize(("by", "state"), [("bert", "DECLINED"), ("anna", "WITHDRAWN")])
def test_a_request_is_declined_by_another_and_withdrawn_by_its_author(
    by: str, state: str, payment: Payment, shop: Shop
) -> None:
    other = asked(refund, shop.pay(), "8.00")
    request = asked(refund, payment, "8.00", items=[MUG], idempotency_key="click-1")
    ended = payments.approvals.decline(request, by=person(by), reason=" not returned ")
    assert (ended.state, ended.decided_by, ended.decided_by_account) == (state, by, str(person(by).pk))
    assert (ended.reason, ended.decided_at) == ("not returned", shop.clock.now())
    assert (ended.outstanding_key, ended.sends, again(other).state) == (None, None, "WAITING")
    with refuses(IdempotencyConflict, ErrorCode.KEY_TAKEN):
        refund(payment, "8.00", idempotency_key="click-1")


@pytest.mark.every_database
def test_an_approval_is_consumed_once_and_both_names_are_kept(payment: Payment, shop: Shop) -> None:
    other = asked(refund, shop.pay(), "8.00")
    request = asked(refund, payment, "8.00", idempotency_key="click-1")
    done = payments.approvals.approve(request, by=person("bert"), reason="seen the parcel")
    assert (done.state, done.created_by) == ("APPROVED", "anna")
    assert (again(request).state, request.decided_by, request.reason) == ("AGREED", "bert", "seen the parcel")
    assert (request.decided_by_account, request.decided_at) == (str(person("bert").pk), shop.clock.now())
    assert (request.outstanding_key, again(other).state) == (None, "WAITING")
    event = TransactionEvent.objects.get(approval=request)
    assert (event.transaction, event.kind, event.created_by) == (done, "APPROVAL", "bert")
    assert (event.created_by_account, event.explanation) == (str(person("bert").pk), "seen the parcel")
    assert refund(payment, "8.00", idempotency_key="click-1") == done, "the key brings what was made of it"
    with refuses(InvalidState, ErrorCode.CHANGED_MEANWHILE, says="no longer waits"):
        payments.approvals.approve(request, by=person("carla"))
    assert len(shop.gateway.sent) == 1


# Who is a second person


def the_same(user: User) -> object:
    return user


def renamed(user: User) -> object:
    User.objects.filter(pk=user.pk).update(username="renamed")
    return User.objects.get(pk=user.pk)


def made_anew(user: User) -> object:
    user.delete()
    return person("Anna")


def a_long_name_of_the_same_beginning(user: User) -> object:
    Approval.objects.update(created_by="a" * 150)
    return payments.Actor(name="a" * 200, account=str(person("carla").pk))


@pytest.mark.parametrize("as_who", [the_same, renamed, made_anew, a_long_name_of_the_same_beginning])
def test_nobody_agrees_to_the_own_request(as_who: Callable[[User], Any], payment: Payment) -> None:
    request = asked(refund, payment, "8.00")
    with refuses(InvalidState, ErrorCode.NOT_PERMITTED, says="your own request"):
        payments.approvals.approve(request, by=as_who(person("anna")))
    assert again(request).state == "WAITING"


def test_a_name_alone_agrees_to_nothing_even_if_it_is_an_accounts(payment: Payment) -> None:
    person("bert")
    request = asked(refund, payment, "8.00")
    with refuses(InvalidState, ErrorCode.NOT_PERMITTED, says="a name without an account"):
        payments.approvals.approve(request, by="bert")


def deleted(user: User) -> object:
    actor = payments.Actor(name=user.username, account=str(user.pk))
    user.delete()
    return actor


def inactive(user: User) -> object:
    User.objects.filter(pk=user.pk).update(is_active=False)
    return user


def with_only(model: type[Model], codename: str) -> Callable[[User], object]:
    def make(_: User) -> object:
        ContentType.objects.clear_cache()
        of = ContentType.objects.get_for_model(model)
        stranger = User.objects.create(username="a stranger")
        stranger.user_permissions.add(Permission.objects.get_or_create(codename=codename, content_type=of)[0])
        return stranger

    return make


@pytest.mark.parametrize(
    "lose",
    [deleted, inactive, with_only(Payment, "refund_payment"), with_only(Approval, "approve_operation")],
    ids=["deleted", "inactive", "may only refund", "may only agree"],
)
def test_an_account_that_is_gone_or_lacks_a_permission_agrees_to_nothing(
    lose: Callable[[User], Any], payment: Payment
) -> None:
    request = asked(refund, payment, "8.00")
    needed = "who has “wallet_gateway.refund_payment” and “wallet_gateway.approve_operation” must agree"
    with refuses(InvalidState, ErrorCode.NOT_PERMITTED, says=needed):
        payments.approvals.approve(request, by=lose(person("bert")))
    assert again(request).state == "WAITING"


@pytest.mark.parametrize("gone", [True, False])
def test_what_a_deleted_account_or_a_program_asked_for_may_be_agreed_to_by_an_actor(
    gone: bool, payment: Payment
) -> None:
    request = asked(refund, payment, "8.00", by=person("anna") if gone else "nightly")
    person("anna").delete()
    actor = payments.Actor(name="bert", account=str(person("bert").pk))
    assert payments.approvals.approve(request, by=actor).state == "APPROVED"


@pytest.mark.parametrize("by", [AnonymousUser(), User(username="not-saved")])
def test_who_is_not_logged_in_does_nothing(by: User, payment: Payment) -> None:
    with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID, says="The name of"):
        refund(payment, "1.00", by=by)
