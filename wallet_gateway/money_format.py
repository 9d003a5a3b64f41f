"""Format amounts for people: in the active language, with Django's separators and grouping.

This is the only place for it: pages and mails for customers use ``format_money``, tables of numbers
``format_amount``. Two formats are separate on purpose. ``str(money)`` is exact and the same in every
language: logs, errors and the rows of the admin use it, because an operator compares it with the gateway's
own records and types it into a form. The sandbox has its own function: it plays the other party and imports
nothing of the merchant's. Babel is not used, because Django's formats are available and projects adjust
them. Translators decide the position of the currency.
"""

from __future__ import annotations

from django.utils import numberformat
from django.utils.formats import get_format
from django.utils.translation import get_language, pgettext

from wallet_gateway.protocol.codes import currency_exponent
from wallet_gateway.protocol.money import Money

# Only signs that mean one currency to every reader; all others are written by their code.
SIGNS = {"EUR": "€", "GBP": "£", "JPY": "¥", "USD": "$"}


def format_money(money: Money) -> str:
    """Return the amount with exactly its currency's decimals: `€1,234.50`, `1.234,50 €`, `10.000 KWD`."""
    parts = {"number": format_amount(money), "currency": SIGNS.get(money.currency, money.currency)}
    if money.currency in SIGNS:
        text = pgettext("amount with a currency sign", "%(currency)s%(number)s") % parts
    else:
        text = pgettext("amount with a currency code", "%(currency)s %(number)s") % parts
    # An amount is one word: no line break inside it.
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def format_amount(money: Money) -> str:
    """Return the amount without its currency, for a table whose heading names it: `1,234.50`, `1.234,50`."""
    language = get_language()
    return numberformat.format(
        money.amount,
        get_format("DECIMAL_SEPARATOR", language, use_l10n=True),
        decimal_pos=currency_exponent(money.currency),
        # Some of Django's languages have a separator but no group size.
        grouping=get_format("NUMBER_GROUPING", language, use_l10n=True) or 3,
        thousand_sep=get_format("THOUSAND_SEPARATOR", language, use_l10n=True),
        force_grouping=True,
        use_l10n=True,
    )
