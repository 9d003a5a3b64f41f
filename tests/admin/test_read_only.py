"""What all lists and pages share: nobody changes a row, hostile text is text, many rows cost no more."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from django.db import connection
from django.forms.models import model_to_dict
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.admin.pages import look
from tests.admin.scenery import LISTS
from tests.models.rows import NOW, a_deposit, a_payment, a_transaction, an_approval, an_order
from tests.support.explanations import commented
from tests.support.tables import every
from wallet_gateway.models import Discrepancy, OperationBatch, TransactionEvent

pytestmark = pytest.mark.django_db

HOSTILE = "<img src=x onerror=alert(1)>'\"\u202edlo\u2069"
SHOWN = "<img src=x onerror=alert(1)>'\"\\u202edlo\\u2069"
MOST_STATEMENTS = 16


def a_row_of_each(number: int = 0) -> dict[str, Any]:
    """Make one row of each kind, with hostile text wherever somebody else writes."""
    order = an_order(order_number=HOSTILE)
    payment = a_payment(order, authorized=2000, state="AUTHORIZED")
    transaction = a_transaction(
        payment,
        **commented(HOSTILE),
        provider_state=HOSTILE,
        error_code=HOSTILE,
        created_by=HOSTILE,
        comment=HOSTILE,
    )
    evidence = TransactionEvent.objects.create(
        transaction=transaction,
        kind="ANSWER",
        lifecycle_event="APPROVED",
        state_after="APPROVED",
        **commented(HOSTILE),
        created_by=HOSTILE,
        request_body=f'{{"note": "{HOSTILE}"}}',
        answer_body=HOSTILE,
        occurred_at=NOW,
    )
    difference = Discrepancy.objects.create(
        kind="MADE_ELSEWHERE",
        gateway="default",
        payment=payment,
        transaction=transaction,
        fingerprint=f"f{transaction.pk}",
        **commented(HOSTILE),
        found_at=NOW,
        reason=HOSTILE,
        closed_by=HOSTILE,
    )
    batch = OperationBatch.objects.create(kind="CAPTURE", created_by=HOSTILE, comment=HOSTILE, created_at=NOW)
    return {
        "paymentorder": order,
        "gatewaytransaction": transaction,
        "transactionevent": evidence,
        "discrepancy": difference,
        "migrateddeposit": a_deposit(parent_transaction_id=f"{HOSTILE}{transaction.pk}"),
        "operationbatch": batch,
    }


def list_url(model: str) -> str:
    return reverse(f"admin:wallet_gateway_{model}_changelist")


def address(verb: str, model: str, row: Any) -> str:  # noqa: ANN401  a row of any model
    return reverse(f"admin:wallet_gateway_{model}_{verb}", args=[row.pk])


def test_a_superuser_adds_changes_and_deletes_nothing(superuser: Client) -> None:
    for model, row in a_row_of_each().items():
        assert superuser.get(reverse(f"admin:wallet_gateway_{model}_add")).status_code == 403
        for verb in ("delete", "change"):
            answer = superuser.post(address(verb, model, row), {"post": "yes", "detail": "x"})
            assert answer.status_code in {302, 403}
        chosen = {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"}
        superuser.post(list_url(model), chosen)

        assert model_to_dict(type(row).objects.get(pk=row.pk)) == model_to_dict(row)
        assert b'name="_save"' not in superuser.get(address("change", model, row), follow=True).content


def test_hostile_text_is_text_in_lists_and_on_pages_and_cannot_turn_them_around(superuser: Client) -> None:
    rows = a_row_of_each()
    # A draft is its author's.
    draft = address("change", "operationbatch", rows.pop("operationbatch"))
    assert superuser.get(draft, follow=True).status_code == 403
    lists = {model: look(superuser, list_url(model)) for model in LISTS}
    pages = {model: look(superuser, address("change", model, row)) for model, row in rows.items()}
    for read in (*lists.values(), *pages.values()):
        assert "<img src=x" not in read.html, read.url
        assert "\u202e" not in read.html, read.url
        assert SHOWN in read.text or read is lists["transactionevent"], read.url


def test_no_list_asks_per_row(superuser: Client) -> None:
    def statements(model: str) -> int:
        with CaptureQueriesContext(connection) as asked:
            look(superuser, list_url(model))
        return len(asked)

    a_row_of_each()
    few = {model: statements(model) for model in LISTS}
    for _ in range(12):
        a_row_of_each()

    assert {model: statements(model) for model in LISTS} == few
    assert max(few.values()) <= MOST_STATEMENTS


@every(
    ("model", "query"),
    [
        ("paymentorder", {"q": "ORDER"}),
        ("paymentorder", {"state__exact": "OPEN"}),
        ("gatewaytransaction", {"q": "INT"}),
        ("gatewaytransaction", {"state__exact": "SENDING"}),
        ("gatewaytransaction", {"kind__exact": "CAPTURE"}),
        ("transactionevent", {"q": "INT"}),
        ("discrepancy", {"open": "yes"}),
        ("discrepancy", {"kind__exact": "MADE_ELSEWHERE"}),
        ("discrepancy", {"q": "ORDER"}),
        ("operationbatch", {"state__exact": "DRAFT"}),
    ],
)
def test_each_filter_and_each_search_finds_in_few_statements(
    superuser: Client, model: str, query: dict[str, str]
) -> None:
    made = a_row_of_each()[model]
    with CaptureQueriesContext(connection) as asked:
        page = superuser.get(list_url(model), query)
    listed = page.context["cl"].result_list
    assert made in listed
    assert len(asked) <= MOST_STATEMENTS
    field, value = next(iter(query.items()))
    if field.endswith("__exact"):
        assert {str(getattr(row, field.removesuffix("__exact"))) for row in listed} == {value}


def test_no_address_sorts_a_list_or_makes_it_slow(superuser: Client) -> None:
    a_row_of_each()
    orders = [{"o": text} for text in ("1", "-1", "4", "2.4", "-3.2")]
    for model, query in product(LISTS, (*orders, {"all": ""}, {"_facets": "True"}, {"p": "9999"})):
        with CaptureQueriesContext(connection) as asked:
            superuser.get(list_url(model), query)
        sorts = [q["sql"] for q in asked if "ORDER BY" in q["sql"] and f"wallet_gateway_{model}" in q["sql"]]
        assert all('"id" DESC' in sql or "`id` DESC" in sql for sql in sorts), (model, query)


@every("name", ["state", "state__exact", "gateway", "currency"])
def test_what_no_database_can_look_for_filters_nothing(superuser: Client, name: str) -> None:
    here = list_url("paymentorder")
    answer = superuser.get(here, {name: "PAID\0"})
    assert (answer.status_code, answer.headers["Location"]) == (302, here)


def test_a_request_for_a_second_person_leads_to_the_page_on_which_it_is_decided(superuser: Client) -> None:
    asked = an_approval()
    url = address("change", "approval", asked)
    assert superuser.get(url)["Location"] == address("decide", "approval", asked)
    assert superuser.get(url.replace(str(asked.pk), "9999")).status_code == 404
