"""An amount as a person reads it in the language of the moment. No arithmetic, nothing for the wire.

Separators and grouping are Django's for each language; where the currency stands is for the translators to
say.
"""

from __future__ import annotations

from django.utils import numberformat
from django.utils.formats import get_format
from django.utils.translation import get_language, pgettext

from wallet_gateway.protocol.codes import currency_exponent
from wallet_gateway.protocol.money import Money

# Only signs that mean one currency to everybody who reads them; all others are written by their code.
SIGNS = {"EUR": "€", "GBP": "£", "JPY": "¥", "USD": "$"}


def format_money(money: Money) -> str:
    """Return the amount with exactly its currency's decimals: `€1,234.50`, `1.234,50 €`, `10.000 KWD`."""
    parts = {"number": _number(money), "currency": SIGNS.get(money.currency, money.currency)}
    if money.currency in SIGNS:
        text = pgettext("amount with a currency sign", "%(currency)s%(number)s") % parts
    else:
        text = pgettext("amount with a currency code", "%(currency)s %(number)s") % parts
    # An amount is one word: it must not be torn apart at the end of a line.
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def _number(money: Money) -> str:
    language = get_language()
    return numberformat.format(
        money.amount,
        get_format("DECIMAL_SEPARATOR", language, use_l10n=True),
        decimal_pos=currency_exponent(money.currency),
        # Some of Django's languages name a separator but no group size.
        grouping=get_format("NUMBER_GROUPING", language, use_l10n=True) or 3,
        thousand_sep=get_format("THOUSAND_SEPARATOR", language, use_l10n=True),
        force_grouping=True,
        use_l10n=True,
    )
