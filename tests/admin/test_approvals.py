"""The list of requests: who may see it, and that a row leads to the page on which it is decided."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.admin.conftest import MakePerson
from tests.models.rows import a_deposit, an_approval

pytestmark = pytest.mark.django_db

LIST = "/admin/wallet_gateway/approval/"


def test_a_row_leads_to_the_page_on_which_it_is_decided(superuser: Client) -> None:
    request = an_approval()
    answer = superuser.get(f"{LIST}{request.pk}/change/")
    assert answer["Location"] == f"{LIST}{request.pk}/decide/"
    assert superuser.get(f"{LIST}{request.pk + 1}/change/").status_code == 404


@pytest.mark.parametrize("permission", ["approve_operation", "refund_payment", "view_approval"])
def test_those_who_ask_agree_or_look_see_it(make_person: MakePerson, permission: str) -> None:
    an_approval(reason_code="returned")
    assert "Refund of €5.00" in make_person(permission, seeing=()).get(LIST).content.decode()


def test_others_do_not(make_person: MakePerson) -> None:
    assert make_person(seeing=("paymentorder",)).get(LIST).status_code == 403


def test_more_rows_take_no_more_statements(superuser: Client) -> None:
    def statements(rows: int) -> int:
        for _ in range(rows):
            an_approval()
            an_approval(payment=None, deposit=a_deposit(), kind="DETACHED_REFUND")
        with CaptureQueriesContext(connection) as asked:
            assert superuser.get(LIST).status_code == 200
        return len(asked)

    assert statements(1) == statements(8) <= 15
