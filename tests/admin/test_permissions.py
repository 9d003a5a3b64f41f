"""Who may do what: each permission is one that can be granted, and none is taken for another."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser, Permission, User
from django.core.exceptions import PermissionDenied
from django.test import RequestFactory

from wallet_gateway.admin import permissions
from wallet_gateway.domain.actors import Actor

pytestmark = pytest.mark.django_db

NAMES = [value for name, value in vars(permissions).items() if name.isupper() and isinstance(value, str)]


@pytest.mark.parametrize("name", NAMES)
def test_each_permission_can_be_granted(permissions: None, name: str) -> None:
    label, codename = name.split(".")
    assert Permission.objects.filter(content_type__app_label=label, codename=codename).count() == 1


def test_nobody_can_be_allowed_to_change_rows_by_hand(permissions: None) -> None:
    models = [
        "paymentorder",
        "payment",
        "gatewaytransaction",
        "transactionevent",
        "discrepancy",
        "operationbatch",
    ]
    for verb in ("add", "change", "delete"):
        names = [f"{verb}_{model}" for model in models]
        assert not Permission.objects.filter(codename__in=names).exists()


def test_one_permission_is_not_another(permissions: None) -> None:
    user = User.objects.create_user("ben")
    user.user_permissions.add(Permission.objects.get(codename="capture_payment"))
    request = RequestFactory().get("/")
    request.user = User.objects.get(pk=user.pk)

    from wallet_gateway.admin.permissions import (
        CAPTURE,
        REFUND,
        has_permission,
        person_of,
        require_permission,
    )

    assert has_permission(request, CAPTURE)
    require_permission(request, CAPTURE)
    assert not has_permission(request, REFUND)
    with pytest.raises(PermissionDenied):
        require_permission(request, REFUND)
    assert person_of(request) == Actor(name="ben", account=str(user.pk))


def test_somebody_unknown_may_do_nothing() -> None:
    request = RequestFactory().get("/")
    request.user = AnonymousUser()
    assert not any(permissions.has_permission(request, name) for name in NAMES)
