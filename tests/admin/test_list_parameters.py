"""What the address of a list may ask for: every column, relation and lookup there is, tried by everybody.

A list answers yes or no by showing a row or none. One column that can be filtered by is one that can be read.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin.exceptions import DisallowedModelAdminLookup
from django.contrib.auth.models import Permission, User
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest
from django.test import Client, RequestFactory
from django.utils import timezone

from tests.admin.test_capture_deadline import held
from tests.admin.test_read_only import a_row_of_each, list_url
from tests.models.rows import NOW, a_transaction, an_approval, an_order
from wallet_gateway.admin.capture_deadline import expires_from
from wallet_gateway.admin.dashboard_work_queue import work_of
from wallet_gateway.admin.orders import PaymentOrderAdmin
from wallet_gateway.admin.read_only import ReadOnlyAdmin
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.models import Dashboard, Discrepancy, PaymentOrder
from wallet_gateway.queries.work_queue import MOST_SHOWN, waiting

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]

DAYS = {"from", "to"}
STATE, KIND = {"state__exact", "state__isnull"}, {"kind__exact", "kind__isnull"}
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
LOOKUPS = {
    "": "x",
    "__exact": "x",
    "__iexact": "x",
    "__startswith": "x",
    "__contains": "x",
    "__regex": "((",
    "__iregex": "(",
    "__in": "x,y",
    "__lt": "99999999999999999999",
    "__year__lt": "99999999999",
    "__isnull": "1",
    "__checkoutDetails__cardholderEmail__startswith": "r",
    "__0__contains": "x",
}
HOSTILE: tuple[dict[str, str | list[str]], ...] = (
    {"reference__regex": "(("},
    {"detail__iregex": "("},
    {"created_at__year__lt": "99999999999"},
    {"created_at__date": "0000-00-00"},
    {"content__contains": "x"},
    {"content__checkoutDetails__cardholderEmail__startswith": "r"},
    {"wallet_secrets": "x"},
    {"id": "x"},
    {"pk__in": "1,x,99999999999999999999"},
    {"": "x"},
    {"\x00": "x"},
    {"state\x00__exact": "x"},
    {"__": "x"},
    {"x" * 5_000: "x"},
    {"_to_field": "token"},
    {"_to_field": "id", "_popup": "1", "token__startswith": "x"},
    {"e": "1", "token__startswith": "x"},
    {"_changelist_filters": "token__startswith=x"},
    {"state__exact": "\x00"},
    {"state__exact": "x" * 100_000},
    {"state__exact": ["OPEN", "\x00"]},
    {"state__isnull": "\x00"},
    {"kind__exact": "\u202e"},
    {"kind__isnull": "x" * 100_000},
    {"open": "x" * 100_000},
    {"open": ["yes", "token__startswith"]},
    {"expires": "\x00"},
    {"expires": "((", "state__exact": "99999999999999999999"},
    {"from": "\x00"},
    {"from": "2026-02-30", "to": "x" * 100_000},
    {"from": "0001-01-01", "to": "9999-12-31"},
    {"from": "2999-12-31", "to": "1970-01-01"},
    {"from": ["", "2026-01-01"], "to": ""},
    {"from__startswith": "2"},
    {"counted": "\x00"},
    {"counted": ["TAKEN", "x" * 100_000], "from": "2026-01-01"},
    {"counted": "TAKEN", "currency": "((", "to": "2026-01-01"},
    {"counted": "TAKEN", "currency": "x" * 100_000},
    {"o": ""},
    {"o": "\x00"},
    {"o": "1.-2.99.x.." + "9" * 5_000},
    {"p": "9" * 5_000},
    {"p": "-1"},
    {"p": "x"},
    {"all": "x"},
    {"_facets": "True"},
    {"q": "\x00"},
    {"q": "' OR 1=1 -- %s {}"},
    {"q": "x" * 100_000},
    {"q": ["x", "\x00"]},
)
"""Queries that some list, database or Django itself has answered with a fault, and their like."""
MOST_REPORTED = 40
MakeUser = Callable[..., User]


def our_lists() -> dict[str, ReadOnlyAdmin]:
    registered = admin.site._registry.items()
    return {
        str(model._meta.model_name): at
        for model, at in registered
        if model._meta.app_label == "wallet_gateway" and isinstance(at, ReadOnlyAdmin)
    }


def lists_with_rows() -> dict[str, ReadOnlyAdmin]:
    """Give all but the dashboard, whose page stands where a list would be and reads a form of its own."""
    return {name: at for name, at in our_lists().items() if at.model is not Dashboard}


def paths_of(model: type[Model], *, relations: int = 2) -> Iterator[str]:
    """Give every column of a model, and every one at the end of so many relations, in both directions."""
    for field in model._meta.get_fields():
        yield from dict.fromkeys((field.name, getattr(field, "attname", field.name)))
        if relations and isinstance(field.related_model, type):
            for path in paths_of(field.related_model, relations=relations - 1):
                yield f"{field.name}__{path}"


def report(faults: list[str]) -> str:
    shown = "\n".join(faults[:MOST_REPORTED])
    return f"{len(faults)} faults:\n{shown}"


def asked_by(user: User, query: dict[str, Any]) -> HttpRequest:
    request = RequestFactory().get("/", query)
    request.user = user
    return request


@pytest.fixture
def person(permissions: None) -> MakeUser:
    """Make somebody of the staff with these permissions and no other, named after them."""

    def make(*codenames: str) -> User:
        user = User.objects.create_user("+".join(codenames) or "nobody", password="x", is_staff=True)
        found = Permission.objects.filter(content_type__app_label="wallet_gateway", codename__in=codenames)
        user.user_permissions.set(found)
        return user

    return make


@pytest.fixture
def root(db: None) -> User:
    """Somebody with all permissions there are."""
    return User.objects.create_superuser("root", password="x")


@pytest.fixture
def everybody(person: MakeUser, root: User) -> list[User]:
    """A superuser, somebody with no permission, and one person for each permission there is."""
    every = Permission.objects.filter(content_type__app_label="wallet_gateway")
    return [root, person(), *(person(permission.codename) for permission in every)]


def answer_of(at: ReadOnlyAdmin, request: HttpRequest) -> str:
    """Name what a list makes of a request: an exception that Django knows to answer, or a page."""
    try:
        return str(at.changelist_view(request).status_code)
    except (DisallowedModelAdminLookup, PermissionDenied) as refusal:
        return type(refusal).__name__
    except Exception as fault:  # noqa: BLE001 - every fault is one to report
        return f"500 {fault!r}"


def test_each_list_is_here() -> None:
    assert set(our_lists()) == set(ADMITTED)


def test_no_list_admits_a_column_or_a_relation_but_by_a_filter_that_it_shows(
    person: MakeUser, root: User
) -> None:
    evidence = person("view_transactionevent")
    faults = []
    for name, at in our_lists().items():
        looks = evidence if name == "transactionevent" else person(f"view_{name}")
        both = person(f"view_{name}", "view_transactionevent", "view_paymentorder")
        requests = [asked_by(user, {}) for user in (looks, both, root)]
        for path in paths_of(at.model):
            for lookup, value in LOOKUPS.items():
                for request in requests:
                    admitted = at.lookup_allowed(path + lookup, value, request)
                    if admitted != (path + lookup in ADMITTED[name]):
                        faults.append(f"{name} ?{path}{lookup}= admitted to {request.user}: {admitted}")

    assert not faults, report(faults)


def test_each_list_refuses_each_of_its_columns_whoever_asks(everybody: list[User]) -> None:
    a_row_of_each()
    lookups, faults = itertools.cycle(LOOKUPS.items()), []
    for name, at in lists_with_rows().items():
        for path, user in itertools.product(paths_of(at.model, relations=0), everybody):
            lookup, value = next(lookups)
            if path + lookup in ADMITTED[name]:
                continue
            sees = at.has_view_permission(asked_by(user, {}))
            said = answer_of(at, asked_by(user, {path + lookup: value}))
            if said != ("DisallowedModelAdminLookup" if sees else "PermissionDenied"):
                faults.append(f"{name} ?{path}{lookup}={value} by {user}: {said}")

    assert not faults, report(faults)


def test_each_list_refuses_what_is_at_the_end_of_its_relations(root: User) -> None:
    a_row_of_each()
    lookups, faults = itertools.cycle(LOOKUPS.items()), []
    for name, at in lists_with_rows().items():
        for path in paths_of(at.model):
            lookup, value = next(lookups)
            if path + lookup in ADMITTED[name]:
                continue
            said = answer_of(at, asked_by(root, {path + lookup: value}))
            if said != "DisallowedModelAdminLookup":
                faults.append(f"{name} ?{path}{lookup}={value}: {said}")

    assert not faults, report(faults)


def test_no_query_is_answered_with_a_fault(superuser: Client) -> None:
    rows = a_row_of_each()
    an_approval(payment=rows["gatewaytransaction"].payment)
    superuser.raise_request_exception = False
    faults = []
    for name in our_lists():
        for query in HOSTILE:
            answer = superuser.get(list_url(name), query)
            if answer.status_code not in {200, 302, 400}:
                shown = {key[:80]: value[:80] for key, value in query.items()}
                faults.append(f"{name} {shown}: {answer.status_code}")

    assert not faults, report(faults)


def test_an_action_is_refused_with_the_list_that_it_was_chosen_from(superuser: Client) -> None:
    order = a_row_of_each()["paymentorder"]
    chosen = {"action": "query_many", "_selected_action": [order.pk]}

    assert superuser.post(f"{list_url('paymentorder')}?token__startswith=x", chosen).status_code == 400


@pytest.mark.parametrize("order", ["1", "-1", "4", "2.4", "-3.2"])
def test_no_address_sorts_a_list(superuser: Client, order: str) -> None:
    a_row_of_each()
    for name in lists_with_rows():
        shown = superuser.get(list_url(name), {"o": order})
        assert shown.context["cl"].queryset.query.order_by == ("-id",), name


class OfSuperusersOnly(admin.SimpleListFilter):
    """A filter that some people are shown."""

    title, parameter_name = "mine", "mine"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        return [("yes", "Yes")] if request.user.is_superuser else []

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:  # noqa: ANN401
        return queryset


class OwnFilters(PaymentOrderAdmin):
    """A list of somebody's own making, with a filter of each form that Django knows."""

    def get_list_filter(self, request: HttpRequest) -> Any:  # noqa: ANN401
        """Show the currency to superusers only."""
        shown = ("state", ("gateway", admin.AllValuesFieldListFilter), OfSuperusersOnly)
        return (*shown, "currency") if request.user.is_superuser else shown


def test_a_filter_is_admitted_to_those_who_are_shown_it(person: MakeUser, root: User) -> None:
    at = OwnFilters(PaymentOrder, admin.site)
    names = ("state__exact", "gateway", "mine", "currency", "token", "gateway__startswith", "mine__x")

    def admitted(user: User) -> list[str]:
        return [name for name in names if at.lookup_allowed(name, "x", asked_by(user, {}))]

    assert admitted(root) == ["state__exact", "gateway", "mine", "currency"]
    assert admitted(person("view_paymentorder")) == ["state__exact", "gateway"]


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


def test_each_list_that_the_dashboard_leads_to_can_be_opened(superuser: Client) -> None:
    for number in range(MOST_SHOWN + 1):
        for state in (TransactionState.ANOMALY, TransactionState.UNKNOWN, TransactionState.NOT_SENT):
            payment = a_transaction(state=state, needs_operator=True).payment
        a_transaction(kind="REFUND", state="REJECTED", refusal_unseen_since=NOW)
        an_order(state=OrderState.OVERPAID)
        an_approval(payment=payment, expires_at=timezone.now() + timedelta(days=1))
        held(6)
        for kind in (DiscrepancyKind.REFUND_SHORT, DiscrepancyKind.MADE_ELSEWHERE):
            known: dict[str, Any] = {"gateway": "default", "payment": payment, "found_at": NOW}
            Discrepancy.objects.create(kind=kind, fingerprint=f"{kind}-{number}", **known)

    found, request = waiting(expires_from(), now=timezone.now()), RequestFactory().get("/")
    request.user = User.objects.create_user("viewer")
    leads_to = [work.more_url for work in work_of(found, request)]

    assert len(leads_to) == 9
    assert all(leads_to)
    assert [superuser.get(url).status_code for url in leads_to] == [200] * 9
