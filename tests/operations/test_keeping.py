"""What a sweep leaves behind itself."""

from __future__ import annotations

import pytest

from tests.operations.conftest import MakeContext, VirtualClock
from wallet_gateway.models import WorkMark
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.keeping import keep_house

pytestmark = pytest.mark.django_db


def test_each_gateway_has_its_mark_and_the_latest_one_counts(
    context: GatewayContext, make_context: MakeContext, clock: VirtualClock
) -> None:
    keep_house(context=context)
    keep_house(context=make_context(alias="second"))
    clock.advance(seconds=30)
    keep_house(context=context)
    marks = dict(WorkMark.objects.values_list("name", "marked_at"))
    assert marks["sweep:default"] > marks["sweep:second"]
