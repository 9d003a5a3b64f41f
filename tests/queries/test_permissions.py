"""Whether a person has a permission now: by the key of the account, or by the name where there is no key."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission, User
from django.contrib.contenttypes.models import ContentType

from wallet_gateway.domain.actors import Actor
from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.models import Payment
from wallet_gateway.queries.permissions import CAPTURE, OF_KIND, REFUND, account_has

pytestmark = pytest.mark.django_db


@pytest.fixture
def anna() -> User:
    ContentType.objects.clear_cache()
    content_type = ContentType.objects.get_for_model(Payment)
    permission, _ = Permission.objects.get_or_create(codename="capture_payment", content_type=content_type)
    person = User.objects.create_user("anna")
    person.user_permissions.add(permission)
    return person


def test_an_account_has_its_own_permissions_while_it_is_active(anna: User) -> None:
    actor = Actor(name="anna", account=str(anna.pk))
    assert account_has(actor, CAPTURE) is True
    assert account_has(actor, CAPTURE, REFUND) is False
    User.objects.update(is_active=False)
    assert account_has(actor, CAPTURE) is False


def test_an_account_is_found_by_its_key_whatever_its_name_is_now(anna: User) -> None:
    User.objects.update(username="anna married")
    assert account_has(Actor(name="anna", account=str(anna.pk)), CAPTURE) is True


def test_an_account_that_has_taken_over_a_name_is_not_the_one_that_had_it(anna: User) -> None:
    assert account_has(Actor(name="anna", account=str(anna.pk + 1)), CAPTURE) is None


@pytest.mark.parametrize("key", ["8c5d7a4e-4d62-4b6e-9d7e-0f9a6a3f1b2c", "anna", "9" * 30])
def test_a_key_of_another_user_model_is_nobodys(anna: User, key: str) -> None:
    assert account_has(Actor(name="anna", account=key), CAPTURE) is None


def test_a_name_alone_is_that_of_an_account_where_there_is_one(anna: User) -> None:
    assert account_has(Actor(name="anna"), CAPTURE) is True
    assert account_has(Actor(name="Anna"), CAPTURE) is None
    assert account_has(Actor(name=""), CAPTURE) is None


def test_every_operation_on_money_takes_a_permission() -> None:
    opening = {TransactionKind.CHECKOUT, TransactionKind.AUTHORIZATION}
    assert set(OF_KIND) == set(TransactionKind) - opening
