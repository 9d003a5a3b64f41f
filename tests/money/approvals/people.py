"""The staff of a shop, and a refund or decision of theirs that needs a second person."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType

from wallet_gateway.models import Approval
from wallet_gateway.payments.errors import AwaitingApproval


def person(name: str) -> User:
    """Somebody with an account who may do everything."""
    # Tests that commit leave behind keys that are gone from the database.
    ContentType.objects.clear_cache()
    return User.objects.get_or_create(username=name, defaults={"is_superuser": True})[0]


def asked(work: Callable[..., object], *arguments: object, **named: object) -> Approval:
    """Ask for something that needs a second person; give the request that waits."""
    with pytest.raises(AwaitingApproval) as raised:
        work(*arguments, **named)
    return raised.value.approval
