"""Whether a person has a permission now: by the account of their name, where there is one."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission, User
from django.contrib.contenttypes.models import ContentType

from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.models import Payment
from wallet_gateway.queries.permissions import CAPTURE, OF_KIND, REFUND, user_still_has

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
    assert user_still_has("anna", CAPTURE) is True
    assert user_still_has("anna", REFUND) is False
    User.objects.update(is_active=False)
    assert user_still_has("anna", CAPTURE) is False


def test_of_a_name_without_an_account_nothing_is_known(anna: User) -> None:
    assert user_still_has("Anna", CAPTURE) is None
    assert user_still_has("", CAPTURE) is None


def test_every_operation_on_money_takes_a_permission() -> None:
    opening = {TransactionKind.CHECKOUT, TransactionKind.AUTHORIZATION}
    assert set(OF_KIND) == set(TransactionKind) - opening
