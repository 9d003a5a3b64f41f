"""The lists: sums below them of all rows that a filter shows, and the filter by the operator's own days."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html import unescape

import pytest
from django.contrib import admin
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.translation import override

from tests.admin.pages import HOME, listed, look
from tests.models.rows import a_payment, a_transaction, an_order
from tests.support.tables import every
from wallet_gateway.formats import format_money
from wallet_gateway.models import PaymentOrder
from wallet_gateway.protocol.money import Money

pytestmark = pytest.mark.django_db
ORDERS = f"{HOME}paymentorder/"

# Sums


def test_a_refund_is_never_added_to_what_it_takes_back_and_no_currency_to_another(superuser: Client) -> None:
    payment = a_payment(an_order(amount_minor=123_456))
    an_order(currency="JPY", amount_minor=7)
    for kind, minor in (("CAPTURE", 500), ("REFUND", 200)):
        a_transaction(payment, kind=kind, amount_minor=minor)
    page = look(superuser, f"{HOME}gatewaytransaction/")
    assert page.facts.items() >= {"Capture": "€5.00", "Refund": "€2.00"}.items()
    assert "€1,234.56 and ¥7" in look(superuser, ORDERS)


def test_one_statement_reads_the_sums_and_the_count_of_all_pages_and_is_bounded(
    superuser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    template = an_order(amount_minor=100)
    monkeypatch.setattr(admin.site.get_model_admin(PaymentOrder), "list_per_page", 2)
    for _ in range(3):
        an_order(amount_minor=100)
    with CaptureQueriesContext(connection) as asked:
        assert "€4.00" in look(superuser, ORDERS)
    assert sum('"amount_minor" FROM' in one["sql"].replace("`", '"') for one in asked) == 1
    assert not any("COUNT(" in one["sql"] for one in asked)

    # One cent for each of more than 2,000 orders, the most that a list reaches.
    columns = {f.attname: getattr(template, f.attname) for f in PaymentOrder._meta.concrete_fields}
    many = [
        PaymentOrder(**columns | {"id": None, "reference": f"M-{n}", "token": f"{n:032}", "amount_minor": 1})
        for n in range(2001)
    ]
    PaymentOrder.objects.bulk_create(many)
    answer = superuser.get(ORDERS)
    assert answer.context["cl"].result_count == 2000
    assert "€20.00" in answer.content.decode()


@every(
    ("language", "amount", "currency"),
    [
        *((language, "1234567.50", "EUR") for language in ("en", "de", "ar", "hi")),
        ("fr", "0.005", "KWD"),
        ("es", "1234", "JPY"),
    ],
)
def test_a_script_is_told_how_an_amount_is_written(
    superuser: Client, language: str, amount: str, currency: str
) -> None:
    PaymentOrder.objects.all().delete()
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


# Days


def found(client: Client, **query: str) -> list[str]:
    return [row.reference for row in listed(client, "paymentorder", query)]


@pytest.fixture
def three_orders() -> None:
    """On each side of midnight in Auckland, where it is 11:00 UTC in January, and late the same day."""
    for name, hour in (("before", 10), ("after", 11), ("late", 23)):
        an_order(reference=name, created_at=datetime(2026, 1, 14, hour, 30, tzinfo=UTC))


@pytest.mark.every_database
@pytest.mark.usefixtures("three_orders")
def test_a_day_begins_and_ends_at_the_operators_midnight(superuser: Client) -> None:
    with timezone.override("Pacific/Auckland"):
        assert found(superuser, **{"from": "2026-01-14", "to": "2026-01-14"}) == ["before"]
        assert found(superuser, **{"from": "2026-01-15"}) == ["late", "after"]
        assert found(superuser, to="2026-01-15") == ["late", "after", "before"]
    with timezone.override("UTC"):
        assert found(superuser, **{"from": "2026-01-14", "to": "2026-01-14"}) == ["late", "after", "before"]
        assert found(superuser, **{"from": "2026-01-15"}) == []
        an_order(reference="moved", created_at=datetime(2026, 1, 14, 1, tzinfo=UTC))
        assert found(superuser) == ["moved", "late", "after", "before"]
        assert found(superuser, **{"from": "2026-01-14"}) == ["late", "after", "before", "moved"], (
            "by its index"
        )


@pytest.mark.usefixtures("three_orders")
def test_what_is_no_day_filters_nothing_and_the_form_keeps_the_other_filters(superuser: Client) -> None:
    for day in ("", "soon", "2026-02-30", "0001-01-01", "9999-12-31", "20260114T1"):
        assert len(found(superuser, **{"from": day, "to": day})) == 3, day
    query = {"state__exact": "OPEN", "q": "a", "from": "2026-01-14", "p": "1"}
    page = look(superuser, ORDERS, query)
    assert '<input type="date" name="from" value="2026-01-14">' in page
    assert page.hidden.items() >= {"state__exact": "OPEN", "q": "a"}.items()
    assert "p" not in page.hidden
