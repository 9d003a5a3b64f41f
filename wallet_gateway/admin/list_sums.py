"""The line below a list: how many rows it has and what their amounts come to, by currency.

One statement reads the amounts of as many rows as paging can reach; how many they are is the number of rows.
A script adds what the ticked rows come to; it writes amounts in the form that the server hands it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import TYPE_CHECKING, Any, ClassVar, cast

from babel.numbers import get_decimal_symbol, get_group_symbol
from django.contrib import admin
from django.utils.functional import Promise, cached_property
from django.utils.html import format_html
from django.utils.safestring import SafeString

from wallet_gateway.admin.list_parameters import FixedOrderList
from wallet_gateway.admin.read_only import MAX_LISTED_ROWS, BoundedPaginator
from wallet_gateway.admin.sums import sums_in_words, sums_of
from wallet_gateway.formats import active_locale, format_amount, format_money
from wallet_gateway.models.fields import label_of
from wallet_gateway.protocol.codes import currency_exponent, stored_currency
from wallet_gateway.protocol.money import Money

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.db.models import QuerySet
    from django_stubs_ext import StrOrPromise


@dataclass(frozen=True, slots=True, kw_only=True)
class ListSum:
    """One sum of the line, with the kind of rows that it is of; empty where the list has one kind."""

    label: Promise | str
    text: str


class AmountsPaginator(BoundedPaginator):
    """A paginator that reads the amounts of all rows, and so need not count them."""

    columns: ClassVar[tuple[str, ...]] = ("currency", "exponent", "amount_minor")

    @cached_property
    def amounts(self) -> tuple[tuple[Any, ...], ...]:
        """Return the columns of each row that can be reached."""
        rows = cast("QuerySet[Any]", self.object_list)
        return tuple(rows.values_list(*self.columns)[:MAX_LISTED_ROWS])

    @cached_property
    def count(self) -> int:
        """Return the number of rows that can be reached."""
        return len(self.amounts)


class AmountsOfKindsPaginator(AmountsPaginator):
    """The same for rows of several kinds."""

    columns = (*AmountsPaginator.columns, "kind")


class SummedList(FixedOrderList):
    """A list that knows what the amounts of all its rows come to, on whatever page they are.

    Its admin class pages with `AmountsPaginator`, or with that of kinds.
    """

    kinds: ClassVar[type[StrEnum] | None] = None
    """The kinds of rows that are never added to each other; None if the list has one kind."""

    @cached_property
    def sums(self) -> tuple[ListSum, ...]:
        """Return one sum for each kind of rows in the list."""
        return tuple(self._sums())

    def _sums(self) -> Iterator[ListSum]:
        amounts_of_all = cast("AmountsPaginator", self.paginator).amounts
        by_kind = sorted(amounts_of_all, key=lambda row: row[3:])
        for kind, amounts in groupby(by_kind, key=lambda row: row[3:]):
            sums = sums_of(
                Money.from_minor_units(minor, stored_currency(code, exponent))
                for code, exponent, minor, *_kind in amounts
            )
            label = label_of(self.kinds(kind[0])) if self.kinds else ""
            yield ListSum(label=label, text=sums_in_words(sums))

    @property
    def amount_form(self) -> dict[str, str]:
        """Return how amounts are written, for the script: the signs, and how many digits the groups have."""
        locale = active_locale()
        last, others = locale.currency_formats["standard"].grouping
        return {
            "decimal": get_decimal_symbol(locale),
            "group": get_group_symbol(locale),
            "groups": f"{last} {others}",
        }


def money_to_sum(label: StrOrPromise) -> Callable[[Any], SafeString]:
    """Return the column of a row's amount, which the script adds up."""

    @admin.display(description=label)
    def amount(row: Any) -> SafeString:  # noqa: ANN401 - any row with an amount
        return summable(row.amount)

    return amount


def summable(amount: Money) -> SafeString:
    """Return an amount with what a script needs to add it to others and to write the sum."""
    text = format_money(amount)
    return format_html(
        '<data class="wallet-amount" value="{}"'
        ' data-currency="{}" data-decimals="{}" data-form="{}">{}</data>',
        str(amount.minor_units),
        amount.currency,
        currency_exponent(amount.currency),
        text.replace(format_amount(amount), "{}"),
        text,
    )
