"""A person's decisions through the wired door."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import AnonymousUser, Permission, User
from django.contrib.contenttypes.models import ContentType
from pytest_django import Settings

from tests.conf.test_settings import with_gateway
from tests.payments.paid_orders import paid
from tests.refusals import refuses
from wallet_gateway import payments
from wallet_gateway.models import Approval, Payment
from wallet_gateway.queries.permissions import APPROVE, REFUND
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db


def test_a_decision_without_need_is_refused(wallet_sandbox: SandboxControl) -> None:
    order = paid(wallet_sandbox)
    transaction = order.payments.get().opening

    with pytest.raises(payments.errors.InvalidState):
        payments.approvals.resolve(transaction, decision="DID_NOT_HAPPEN", reason="a guess", by="grace")


# Who may be a second person


def _may(user: User, *names: str) -> User:
    ContentType.objects.clear_cache()
    for model, name in ((Payment, "refund_payment"), (Approval, "approve_operation")):
        content_type = ContentType.objects.get_for_model(model)
        permission, _ = Permission.objects.get_or_create(codename=name, content_type=content_type)
        if name in names:
            user.user_permissions.add(permission)
    return user


@pytest.fixture
def anna() -> User:
    return _may(User.objects.create_user("anna"), "refund_payment")


@pytest.fixture
def bert() -> User:
    return _may(User.objects.create_user("bert"), "refund_payment", "approve_operation")


@pytest.fixture
def waiting(anna: User, wallet_sandbox: SandboxControl, settings: Settings) -> Approval:
    """A refund that anna has asked for."""
    with_gateway(settings, APPROVAL_LIMITS={"EUR": "1.00"})
    with pytest.raises(payments.errors.AwaitingApproval) as asked:
        payments.refund(paid(wallet_sandbox), by=anna)
    return asked.value.approval


def test_a_user_is_stored_by_key_and_by_name(waiting: Approval, anna: User, bert: User) -> None:
    assert (waiting.created_by, waiting.created_by_account) == ("anna", str(anna.pk))
    assert payments.approvals.approve(waiting, by=bert).state == "APPROVED"
    waiting.refresh_from_db()
    assert (waiting.decided_by, waiting.decided_by_account) == ("bert", str(bert.pk))


def test_an_actor_is_as_good_as_the_user_it_names(waiting: Approval, bert: User) -> None:
    actor = payments.Actor(name="bert", account=str(bert.pk))
    assert payments.approvals.approve(waiting, by=actor).state == "APPROVED"


def _deleted(user: User) -> payments.Actor:
    actor = payments.Actor(name=user.username, account=str(user.pk))
    user.delete()
    return actor


def _inactive(user: User) -> User:
    User.objects.filter(pk=user.pk).update(is_active=False)
    return user


def _without(name: str) -> Callable[[User], User]:
    def take(user: User) -> User:
        user.user_permissions.remove(Permission.objects.get(codename=name))
        return User.objects.get(pk=user.pk)

    return take


@pytest.mark.parametrize(
    "lose",
    [_deleted, _inactive, _without("approve_operation"), _without("refund_payment")],
    ids=["deleted", "inactive", "may not agree", "may not refund"],
)
def test_an_account_that_is_gone_or_has_lost_the_permission_agrees_to_nothing(
    lose: Callable[[User], User | payments.Actor], waiting: Approval, bert: User
) -> None:
    with refuses(payments.errors.InvalidState, payments.errors.ErrorCode.NOT_PERMITTED):
        payments.approvals.approve(waiting, by=lose(bert))
    waiting.refresh_from_db()
    assert waiting.state == "WAITING"


def test_who_may_not_agree_is_told_both_permissions_that_are_needed(waiting: Approval, bert: User) -> None:
    stranger = _without("refund_payment")(bert)
    with pytest.raises(payments.errors.InvalidState) as refused:
        payments.approvals.approve(waiting, by=stranger)
    assert f"who has “{REFUND}” and “{APPROVE}” must agree" in refused.value.message


def test_a_name_alone_agrees_to_nothing_even_if_it_is_an_accounts(waiting: Approval, bert: User) -> None:
    with refuses(
        payments.errors.InvalidState, payments.errors.ErrorCode.NOT_PERMITTED, says="without an account"
    ):
        payments.approvals.approve(waiting, by="bert")


def test_what_a_deleted_account_asked_for_may_be_agreed_to_by_another(
    waiting: Approval, anna: User, bert: User
) -> None:
    anna.delete()
    assert payments.approvals.approve(waiting, by=bert).state == "APPROVED"


def test_who_was_renamed_or_made_anew_does_not_agree_to_the_own_request(
    waiting: Approval, anna: User
) -> None:
    _may(anna, "refund_payment", "approve_operation")
    User.objects.filter(pk=anna.pk).update(username="anna-married")
    renamed = User.objects.get(pk=anna.pk)
    again = _may(User.objects.create_user("anna"), "refund_payment", "approve_operation")
    for person in (renamed, again):
        with refuses(
            payments.errors.InvalidState, payments.errors.ErrorCode.NOT_PERMITTED, says="your own request"
        ):
            payments.approvals.approve(waiting, by=person)


@pytest.mark.parametrize("by", [AnonymousUser(), User(username="not-saved")])
def test_who_is_not_logged_in_does_nothing(by: User, wallet_sandbox: SandboxControl) -> None:
    with refuses(
        payments.errors.InvalidInput, payments.errors.ErrorCode.ARGUMENT_INVALID, says="The name of"
    ):
        payments.refund(paid(wallet_sandbox), by=by)
