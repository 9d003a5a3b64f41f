"""Whether a person has a permission now: by the key of the account, or by the name where there is no key."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import Permission, User
from django.contrib.contenttypes.models import ContentType

from tests.models.rows import an_order
from wallet_gateway import payments
from wallet_gateway.models import BatchKind, Payment
from wallet_gateway.payments import Actor, batches

pytestmark = pytest.mark.django_db


@pytest.fixture
def anna() -> User:
    """Anna, who may capture."""
    ContentType.objects.clear_cache()
    content_type = ContentType.objects.get_for_model(Payment)
    permission, _ = Permission.objects.get_or_create(codename="capture_payment", content_type=content_type)
    person = User.objects.create_user("anna")
    person.user_permissions.add(permission)
    return person


def by_key(anna: User) -> Actor:
    return Actor(name="anna", account=str(anna.pk))


def with_key(key: str) -> Callable[[User], Actor]:
    return lambda _: Actor(name="anna", account=key)


@pytest.mark.parametrize(
    ("actor", "changes", "is_permitted"),
    [
        pytest.param(by_key, {}, True, id="the account"),
        pytest.param(by_key, {"is_active": False}, False, id="one that was switched off"),
        pytest.param(by_key, {"username": "anna married"}, True, id="one with another name now"),
        pytest.param(
            lambda anna: Actor(name="anna", account=str(anna.pk + 1)),
            {},
            False,
            id="a name that was taken over",
        ),
        pytest.param(with_key("8c5d7a4e-4d62-4b6e-9d7e-0f9a6a3f1b2c"), {}, False, id="a key of other users"),
        pytest.param(with_key("anna"), {}, False, id="a name as a key"),
        pytest.param(with_key("9" * 30), {}, False, id="a key too large"),
        pytest.param(lambda _: Actor(name="anna"), {}, True, id="a name alone"),
        pytest.param(lambda _: Actor(name="Anna"), {}, False, id="another name"),
    ],
)
def test_a_batch_begins_for_who_has_the_permission_now(
    anna: User, actor: Callable[[User], Actor], changes: dict[str, object], is_permitted: bool
) -> None:
    User.objects.update(**changes)
    batch = batches.draft(BatchKind.CAPTURE, [an_order()], by=actor(anna))
    if is_permitted:
        assert batches.start(batch)
    else:
        with pytest.raises(payments.errors.InvalidState) as refused:
            batches.start(batch)
        assert refused.value.code == "not_permitted"


@pytest.mark.parametrize("kind", [BatchKind.REFUND, BatchKind.REVERSAL])
def test_one_permission_is_not_another(anna: User, kind: BatchKind) -> None:
    with pytest.raises(payments.errors.InvalidState):
        batches.start(batches.draft(kind, [an_order()], by=by_key(anna)))
