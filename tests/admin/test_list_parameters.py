"""What the address of a list may ask for: every column, relation and lookup there is, tried by everybody.

A list answers yes or no by showing a row or none. One column that can be filtered by is one that can be read.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import Model
from django.test import Client, RequestFactory

from tests.admin.conftest import VIEWS, MakePerson
from tests.admin.test_read_only import a_row_of_each, list_url
from tests.models.rows import an_approval
from wallet_gateway.models import PaymentOrder

pytestmark = pytest.mark.django_db

STATE, KIND = {"state__exact", "state__isnull"}, {"kind__exact", "kind__isnull"}
DAYS = {"from", "to"}
ADMITTED = {
    "approval": STATE,
    "dashboard": set(),
    "discrepancy": KIND | {"open"},
    "transactionevent": set(),
    "gatewaytransaction": STATE
    | KIND
    | DAYS
    | {"counted", "currency", "origin__exact", "origin__isnull", "waits"},
    "migrateddeposit": set(),
    "operationbatch": STATE,
    "paymentorder": STATE | DAYS | {"expires", "released"},
}
"""What the filters of each list are set by, written out: a list that shows a new filter says so twice."""
LOOKUPS = (
    *("", "__exact", "__iexact", "__startswith", "__contains", "__regex", "__iregex", "__in", "__lt"),
    *("__year__lt", "__isnull", "__checkoutDetails__cardholderEmail__startswith", "__0__contains"),
)
LONG = "x" * 100_000
HOSTILE: tuple[Mapping[str, str | list[str]], ...] = (
    {"reference__regex": "((", "detail__iregex": "("},
    {"created_at__year__lt": "99999999999"},
    {"created_at__date": "0000-00-00"},
    {"content__checkoutDetails__cardholderEmail__startswith": "r"},
    {"redirect_url": "x"},
    {"pk__in": "1,x,99999999999999999999"},
    {"": "x"},
    {"\x00": "x"},
    {"state\x00__exact": "x"},
    {"__": "x"},
    {"x" * 5_000: "x"},
    {"_to_field": "token"},
    {"_to_field": "id", "_popup": "1", "token__startswith": "x"},
    {"e": "1", "token__startswith": "x"},
    *({name: text} for name in ("state__exact", "kind__exact", "open", "expires") for text in ("\x00", LONG)),
    {"state__exact": ["OPEN", "\x00"]},
    {"state__isnull": "\x00"},
    {"kind__isnull": LONG},
    {"open": ["yes", "token__startswith"]},
    {"expires": "((", "state__exact": "99999999999999999999"},
    {"from": "\x00"},
    {"from": "2026-02-30", "to": LONG},
    {"from": "0001-01-01", "to": "9999-12-31"},
    {"from": ["", "2026-01-01"], "to": ""},
    {"from__startswith": "2"},
    {"counted": "\x00"},
    {"counted": ["TAKEN", LONG], "from": "2026-01-01"},
    {"counted": "TAKEN", "currency": "((", "to": "2026-01-01"},
    {"counted": "TAKEN", "currency": LONG},
    *({"o": text} for text in ("", "\x00", "1.-2.99.x.." + "9" * 5_000)),
    *({"p": text} for text in ("9" * 5_000, "-1", "x")),
    {"all": "x", "_facets": "True"},
    *({"q": text} for text in ("\x00", "%", "  ", "\u202e", "' OR 1=1 -- %s {}", LONG)),
    {"q": ["x", "\x00"]},
)
"""Queries that some list, database or Django itself has answered with a fault, and their like."""


def paths_of(model: type[Model], *, relations: int = 2) -> Iterator[str]:
    """Give every column of a model, and every one at the end of so many relations, in both directions."""
    for field in model._meta.get_fields():
        yield from dict.fromkeys((field.name, getattr(field, "attname", field.name)))
        if relations and isinstance(field.related_model, type):
            for path in paths_of(field.related_model, relations=relations - 1):
                yield f"{field.name}__{path}"


def test_no_list_admits_a_column_or_a_relation_but_by_a_filter_that_it_shows(superuser: Client) -> None:
    models = apps.get_app_config("wallet_gateway").get_models()
    lists = {str(model._meta.model_name): model for model in models if admin.site.is_registered(model)}
    assert set(lists) == set(ADMITTED)
    request, in_turn, faults = RequestFactory().get("/"), itertools.cycle(LOOKUPS), []
    request.user = User.objects.get()
    for name, model in lists.items():
        own = set(paths_of(model, relations=0))
        for path in paths_of(model):
            # At the end of a relation one lookup is refused like another.
            for lookup in LOOKUPS if path in own else [next(in_turn)]:
                column = path + lookup
                admitted = admin.site.get_model_admin(model).lookup_allowed(column, "x", request)
                if admitted != (column in ADMITTED[name]):
                    faults.append(f"{name} ?{column}= admitted: {admitted}")

    assert not faults, "\n".join(faults[:40])


def test_a_list_refuses_its_columns_whoever_asks(superuser: Client, make_person: MakePerson) -> None:
    a_row_of_each()
    onlooker, stranger = make_person(seeing=(*VIEWS, "approval", "transactionevent")), make_person(seeing=())
    for name in set(ADMITTED) - {"dashboard"}:
        for column in (
            "pk",
            "gateway",
            "content__startswith",
            "transaction__payment__order__token",
            "nothing",
        ):
            asked = {who: who.get(list_url(name), {column: "x"}) for who in (superuser, onlooker, stranger)}
            said = [answer.status_code for answer in asked.values()]
            assert said == [400, 400, 403], (name, column)


@pytest.mark.every_database
def test_no_query_is_answered_with_a_fault(superuser: Client) -> None:
    rows = a_row_of_each()
    an_approval(payment=rows["gatewaytransaction"].payment)
    superuser.raise_request_exception = False
    faults = []
    names = set(ADMITTED) - {"gatewaytransaction"}
    for query, other in zip(HOSTILE, itertools.cycle(sorted(names))):
        # The list with the most filters, and another one in turn.
        for name in ("gatewaytransaction", other):
            answer = superuser.get(list_url(name), query)
            if answer.status_code not in {200, 302, 400}:
                shown: dict[str, Any] = {key[:80]: value[:80] for key, value in query.items()}
                faults.append(f"{name} {shown}: {answer.status_code}")

    assert not faults, "\n".join(faults)


def test_an_action_is_refused_with_the_list_that_it_was_chosen_from(superuser: Client) -> None:
    order = a_row_of_each()["paymentorder"]
    chosen = {"action": "query_many", "_selected_action": [order.pk]}

    assert superuser.post(f"{list_url('paymentorder')}?token__startswith=x", chosen).status_code == 400


def test_a_popup_of_a_shop_keeps_the_condition_of_its_foreign_key(
    superuser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    conditions = [{"currency": "EUR"}, lambda: {"type__in": ["sale", "x"]}]
    monkeypatch.setattr(PaymentOrder._meta, "related_fkey_lookups", conditions)
    a_row_of_each()
    url, popup = list_url("paymentorder"), {"_popup": "1", "_to_field": "id"}

    for kept in ({"currency": "EUR"}, {"type__in": "sale,x"}):
        assert superuser.get(url, popup | kept).status_code == 200
    for other in ({"currency": "E"}, {"currency__startswith": "E"}, {"type__in": "sale"}):
        assert superuser.get(url, popup | other).status_code == 400
