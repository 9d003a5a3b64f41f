"""What several amounts come to, by currency: for the buttons that move them and the lists that show them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wallet_gateway.formats import format_money
from wallet_gateway.protocol.codes import Currency, currency_exponent
from wallet_gateway.protocol.money import Money

CHECK_THE_SUM = gettext_lazy("Nothing was sent yet. Check the sum that the button below names now.")
"""The message for a page that comes back because its button named another sum."""


def sums_of(amounts: Iterable[Money]) -> tuple[Money, ...]:
    """Return the sum in each currency, in the order of the currencies' codes."""
    by_currency = Counter[tuple[str, int]]()
    for amount in amounts:
        by_currency[amount.currency, currency_exponent(amount.currency)] += amount.minor_units
    return tuple(Money.from_minor_units(minor, Currency(*of)) for of, minor in sorted(by_currency.items()))


def sums_in_words(sums: Iterable[Money]) -> str:
    """Return sums in the reader's language: `€86.70`, or `€86.70 and ¥1,200`."""
    return get_text_list([format_money(each) for each in sums], _("and"))


def what_was_named(amounts: Sequence[Money]) -> str:
    """Return what the button of a confirm page names, the same in every language: `3, 86.70 EUR`.

    The button sends it back, so that money moves only by a button that named how much.
    """
    return ", ".join([str(len(amounts)), *map(str, sums_of(amounts))])
