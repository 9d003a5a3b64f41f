"""The sums below a list: of all rows that a filter shows, by currency and kind, for one statement."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.contrib import admin
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.translation import override

from tests.models.rows import a_payment, a_transaction, an_order
from wallet_gateway.admin import list_sums
from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.formats import format_money
from wallet_gateway.models import PaymentOrder
from wallet_gateway.protocol.money import Money

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]

ORDERS = "/admin/wallet_gateway/paymentorder/"


def sums_on(client: Client, url: str, **query: str) -> list[str]:
    return [f"{each.label} {each.text}".strip() for each in client.get(url, query).context["cl"].sums]


def test_a_refund_is_never_added_to_what_it_takes_back(superuser: Client) -> None:
    payment = a_payment()
    for kind, minor in ((TransactionKind.CAPTURE, 500), (TransactionKind.REFUND, 200)):
        a_transaction(payment, kind=kind, amount_minor=minor)

    assert sums_on(superuser, "/admin/wallet_gateway/gatewaytransaction/") == [
        "Capture €5.00",
        "Refund €2.00",
    ]


def test_one_statement_reads_the_sums_and_the_count_of_all_pages_and_is_bounded(
    superuser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _number in range(4):
        an_order(amount_minor=100)
    monkeypatch.setattr(admin.site._registry[PaymentOrder], "list_per_page", 2)
    with CaptureQueriesContext(connection) as asked:
        assert sums_on(superuser, ORDERS) == ["€4.00"]
    assert sum('"amount_minor" FROM' in one["sql"].replace("`", '"') for one in asked) == 1
    assert not any("COUNT(" in one["sql"] for one in asked)

    monkeypatch.setattr(list_sums, "MAX_LISTED_ROWS", 3)
    listed = superuser.get(ORDERS).context["cl"]
    assert (listed.result_count, [each.text for each in listed.sums]) == (3, ["€3.00"])


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "ar", "hi"])
@pytest.mark.parametrize(("amount", "currency"), [("1234567.50", "EUR"), ("1234", "JPY"), ("0.005", "KWD")])
def test_a_script_is_told_how_an_amount_is_written(
    superuser: Client, language: str, amount: str, currency: str
) -> None:
    money = Money.parse(amount, currency)
    an_order(amount_minor=money.minor_units, currency=currency)
    page = unescape(superuser.get(ORDERS, headers={"Accept-Language": language}).content.decode())
    with override(language):
        text = format_money(money)

    [(decimal, group, last, others)] = re.findall(
        r'data-wallet-decimal="(.+?)" data-wallet-group="(.+?)" data-wallet-groups="(.) (.)"', page
    )
    [around] = re.findall(r'data-form="([^"]+)"', page)
    whole, _, fraction = amount.partition(".")
    # As selection.js does it.
    ends = rf"\B(?=(?:\d{{{others}}})*\d{{{last}}}$)"
    written = re.sub(ends, group, whole) + (decimal + fraction if fraction else "")
    assert around.replace("{}", written) == text
    assert f'value="{money.minor_units}"' in page
