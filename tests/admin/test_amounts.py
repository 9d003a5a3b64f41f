"""The field for an amount: what a page shows it reads, and nothing is ever read as another amount."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from django.test import Client
from django.utils.translation import override
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.admin.pages import act, send
from tests.models.rows import a_payment, an_order
from tests.support.tables import every
from wallet_gateway.formats import format_amount
from wallet_gateway.models import Payment
from wallet_gateway.protocol.money import MAX_UNITS, Money

pytestmark = pytest.mark.django_db

CODES = ("EUR", "JPY", "KWD", "CLF")
LANGUAGES = ("en", "de", "fr", "es", "ar", "hi")
ZEROS = (
    "0",
    "\N{ARABIC-INDIC DIGIT ZERO}",
    "\N{EXTENDED ARABIC-INDIC DIGIT ZERO}",
    "\N{FULLWIDTH DIGIT ZERO}",
)
DECIMAL, THOUSANDS = "\N{ARABIC DECIMAL SEPARATOR}", "\N{ARABIC THOUSANDS SEPARATOR}"
AMOUNTS = st.builds(Money.from_minor_units, st.integers(1, MAX_UNITS), st.sampled_from(CODES)) | st.builds(
    Money.from_minor_units, st.integers(1, 2_000_000), st.sampled_from(CODES)
)
few = settings(
    max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


class Field:
    """The field on the confirm page of a payment of which as much as may be is left, in each currency."""

    def __init__(self, client: Client) -> None:
        self.client = client
        orders = {code: an_order(currency=code, amount_minor=MAX_UNITS) for code in CODES}
        self.payments = {code: a_payment(order, authorized=MAX_UNITS) for code, order in orders.items()}

    def shown(self, amount: Money, language: str) -> str:
        """Return what the field holds where this amount is left."""
        payment = self.payments[amount.currency]
        Payment.objects.filter(pk=payment.pk).update(authorized=amount.minor_units)
        page = self.client.get(self._url(payment), headers={"Accept-Language": language}).content.decode()
        Payment.objects.filter(pk=payment.pk).update(authorized=MAX_UNITS)
        (value,) = re.findall(r'name="amount" value="([^"]*)"', page)
        return str(value)

    def read(self, text: str, currency: str = "EUR", *, language: str = "en") -> Money | str:
        """Type a text; return the amount that the button names then, or what is said against it."""
        page = send(
            self.client, self._url(self.payments[currency]), language=language, amount=text, preview="1"
        )
        if page.faults:
            return page.faults[0]
        (named,) = re.findall(r'name="confirm" value="([^"]*)"', page.html)
        return Money.parse(named, currency)

    def _url(self, payment: Payment) -> str:
        return act("paymentorder", "operation", payment.order_id, payment.pk, "capture")


@pytest.fixture
def field(superuser: Client) -> Field:
    return Field(superuser)


def in_digits(zero: str, text: str) -> str:
    """Write a text's digits in the script that this zero is of."""
    return text.translate({ord("0") + digit: chr(ord(zero) + digit) for digit in range(10)})


@few
@given(AMOUNTS, st.sampled_from(LANGUAGES), st.sampled_from(LANGUAGES), st.sampled_from(ZEROS))
def test_what_the_field_shows_it_reads_in_every_language_and_what_is_written_is_no_other_amount(
    field: Field, amount: Money, writer: str, reader: str, zero: str
) -> None:
    shown = field.shown(amount, writer)
    assert field.read(in_digits(zero, shown), amount.currency, language=reader) == amount
    with override(writer):
        written = in_digits(zero, format_amount(amount))
    found = field.read(written, amount.currency, language=reader)
    assert isinstance(found, str) or found == amount


@few
@given(st.text(max_size=40) | st.from_regex(r"[0-9., ']{1,12}", fullmatch=True), st.sampled_from(LANGUAGES))
def test_any_text_is_one_amount_or_refused(field: Field, text: str, language: str) -> None:
    found = field.read(text, language=language)
    if isinstance(found, Money):
        digits = re.sub(r"[^\d.]", "", re.sub(f"[,{DECIMAL}]", ".", text))
        assert found.amount == Decimal(digits)


@every(
    ("text", "amount"),
    [
        *((text, "5.00") for text in ("5", "5,00", "5.00", "05.00", " 5.00 ")),
        *((text, "1234.50") for text in ("1234,50", "1234.5000")),
        ("5,5", "5.50"),
        ("0.500", "0.50"),
        (in_digits(ZEROS[1], f"1234{DECIMAL}50"), "1234.50"),
        (in_digits(ZEROS[1], f"\u200f5{DECIMAL}00"), "5.00"),
    ],
)
def test_a_text_that_all_read_alike_is_read_in_every_language(field: Field, text: str, amount: str) -> None:
    for language in ("en", "ar"):
        assert field.read(text, language=language) == Money.parse(amount, "EUR")


NO_AMOUNTS = (
    *["1e1", ".50", "5,", "12.34.56", "1,23,456.00", "1.234.567", "1.234,50", "1,234.50", "1 234,50"],
    *["1\u202f234,50", "1'234.50", "1234.567", "999999999999999", "NaN", "1_000"],
    in_digits(ZEROS[1], f"1{THOUSANDS}234"),
)
EXAMPLE = "Write an amount in EUR with at most 2 decimals, like this: 1234.05."
TWO_READINGS = (
    "“5.000” can be read as €5,000.00 or as €5.00. Write 5000.00 for the first, 5.00 for the second."
)
ONE_READING = (
    "“1.234” can be read as €1,234.00, or as an amount with three decimals, which EUR does not have. "
    "If you mean €1,234.00, write 1234.00."
)
IN_DINARS = (
    "“1,234” can be read as KWD 1,234.000 or as KWD 1.234. "
    "Write 1234.000 for the first, 1.2340 for the second."
)


@every(
    ("text", "currency", "fault"),
    [
        *((text, "EUR", EXAMPLE) for text in NO_AMOUNTS),
        ("5.000", "EUR", TWO_READINGS),
        ("1.234", "EUR", ONE_READING),
        ("1,234", "KWD", IN_DINARS),
    ],
)
def test_what_is_no_amount_is_grouped_or_has_two_readings_is_refused_with_how_to_write_it(
    field: Field, text: str, currency: str, fault: str
) -> None:
    assert field.read(text, currency) == fault


def test_the_example_and_four_decimals_are_in_the_readers_language(field: Field) -> None:
    assert "1234,05" in str(field.read("1e1", language="de"))
    assert field.read("1,2340", "KWD", language="de") == Money.parse("1.234", "KWD")
