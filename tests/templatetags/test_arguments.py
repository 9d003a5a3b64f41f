"""A tag that gets something wrong names itself and says what to pass; a filter writes nothing for nothing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal

import pytest

from tests.tables import every
from wallet_gateway.protocol.money import Money
from wallet_gateway.templatetags.arguments import (
    WrongArgument,
    check_order,
    is_day,
    is_moment,
    is_money,
)

Judge = Callable[[str, object], bool]


@every("value", ["", None, "ORDER-1", 17, Money(Decimal(1), "EUR")])
def test_anything_else_is_refused_by_the_name_of_the_tag(value: object) -> None:
    with pytest.raises(WrongArgument, match=r"^\{% wallet_checkout %\} needs a PaymentOrder, but .*\. Pass "):
        check_order("wallet_checkout", value)


@pytest.mark.parametrize("judge", [is_money, is_day, is_moment])
def test_none_is_nothing_and_an_undefined_variable_is_nothing_with_a_line_in_the_log(
    judge: Judge, caplog: pytest.LogCaptureFixture
) -> None:
    assert not judge("wallet_amount", None)
    assert caplog.records == []
    assert not judge("wallet_amount", "")
    assert caplog.messages == ["{{ …|wallet_amount }} wrote nothing: its variable is undefined or empty"]


@every(
    ("judge", "value"),
    [(is_money, Decimal(1)), (is_money, 0), (is_day, "2026-05-11"), (is_moment, date(2026, 5, 11))],
)
def test_a_filter_refuses_another_type_by_its_name(judge: Judge, value: object) -> None:
    with pytest.raises(WrongArgument, match=r"^\{\{ …\|wallet_x \}\} needs a .*\. Pass "):
        judge("wallet_x", value)
