"""The report of a migration, and its file written out again."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.admin.test_deposit_import import HERE
from tests.models.rows import a_deposit

pytestmark = pytest.mark.django_db


def test_the_report_adds_up_each_currency_for_itself(onlooker: Client) -> None:
    a_deposit(is_known=True, amount_minor=5000, refunded_before=1000, refunded=750)
    a_deposit(is_known=True, amount_minor=2000, refund_reserved=500)
    a_deposit(refunded=300)
    a_deposit(is_known=True, amount_minor=900, currency="JPY")
    csv = onlooker.get(f"{HERE}report/?csv=1").content.decode().splitlines()
    assert csv == [
        "gateway,currency,deposits,unknown,frozen,deposited,refunded_before,refunded,under_way,open,test",
        "default,EUR,3,1,0,70.00,10.00,10.50,5.00,47.50,yes",
        "default,JPY,1,0,0,900,0,0,0,900,yes",
    ]
    page = onlooker.get(f"{HERE}report/").content.decode()
    assert "<dd><bdi>€47.50</bdi></dd>" in page
