"""What the address of a list may ask for: every column, relation and lookup there is, tried by everybody.

A list answers yes or no by showing a row or none. One column that can be filtered by is one that can be read.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.exceptions import DisallowedModelAdminLookup
from django.contrib.auth.models import Permission, User
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest
from django.test import Client, RequestFactory

from tests.admin.test_read_only import a_row_of_each, list_url
from tests.models.rows import an_approval
from wallet_gateway.models import Dashboard, PaymentOrder

pytestmark = pytest.mark.django_db

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
LONG = "x" * 100_000
HOSTILE: tuple[Mapping[str, str | list[str]], ...] = (
    {"reference__regex": "((", "detail__iregex": "("},
    {"created_at__year__lt": "99999999999"},
    {"created_at__date": "0000-00-00"},
    {"content__checkoutDetails__cardholderEmail__startswith": "r"},
    {"wallet_secrets": "x"},
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
    *({"q": text} for text in ("\x00", "' OR 1=1 -- %s {}", LONG)),
    {"q": ["x", "\x00"]},
)
"""Queries that some list, database or Django itself has answered with a fault, and their like."""
MOST_REPORTED = 40
MakeUser = Callable[..., User]
Admin: TypeAlias = "admin.ModelAdmin[Any]"


def our_lists() -> dict[str, Admin]:
    models = apps.get_app_config("wallet_gateway").get_models()
    ours = (model for model in models if admin.site.is_registered(model))
    return {str(model._meta.model_name): admin.site.get_model_admin(model) for model in ours}


def lists_with_rows() -> dict[str, Admin]:
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
    """A superuser, somebody with no permission, one for each that shows a list, and one with the rest."""
    every = Permission.objects.filter(content_type__app_label="wallet_gateway")
    codenames = set(every.values_list("codename", flat=True))
    views = sorted(name for name in codenames if name.startswith("view_"))
    return [root, person(), *map(person, views), person(*sorted(codenames - set(views)))]


def answer_of(at: Admin, request: HttpRequest) -> str:
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
    lookups, faults = itertools.cycle(LOOKUPS.items()), []
    for name, at in our_lists().items():
        looks = evidence if name == "transactionevent" else person(f"view_{name}")
        both = person(f"view_{name}", "view_transactionevent", "view_paymentorder")
        requests = [asked_by(user, {}) for user in (looks, both, root)]
        own = set(paths_of(at.model, relations=0))
        for path in paths_of(at.model):
            # At the end of a relation one lookup is refused like another.
            for lookup, value in LOOKUPS.items() if path in own else [next(lookups)]:
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


@pytest.mark.every_database
def test_no_query_is_answered_with_a_fault(superuser: Client) -> None:
    rows = a_row_of_each()
    an_approval(payment=rows["gatewaytransaction"].payment)
    superuser.raise_request_exception = False
    faults = []
    names = set(our_lists()) - {"gatewaytransaction"}
    for query, other in zip(HOSTILE, itertools.cycle(sorted(names))):
        # The list with the most filters, and another one in turn.
        for name in ("gatewaytransaction", other):
            answer = superuser.get(list_url(name), query)
            if answer.status_code not in {200, 302, 400}:
                shown = {key[:80]: value[:80] for key, value in query.items()}
                faults.append(f"{name} {shown}: {answer.status_code}")

    assert not faults, report(faults)


def test_an_action_is_refused_with_the_list_that_it_was_chosen_from(superuser: Client) -> None:
    order = a_row_of_each()["paymentorder"]
    chosen = {"action": "query_many", "_selected_action": [order.pk]}

    assert superuser.post(f"{list_url('paymentorder')}?token__startswith=x", chosen).status_code == 400


def test_no_address_sorts_a_list(superuser: Client) -> None:
    a_row_of_each()
    for name in lists_with_rows():
        for order in ("1", "-1", "4", "2.4", "-3.2"):
            shown = superuser.get(list_url(name), {"o": order})
            assert shown.context["cl"].queryset.query.order_by == ("-id",), (name, order)


class OfSuperusersOnly(admin.SimpleListFilter):
    """A filter that some people are shown."""

    title, parameter_name = "mine", "mine"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        return [("yes", "Yes")] if request.user.is_superuser else []

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:  # noqa: ANN401
        return queryset


def own_filters(_at: Admin, request: HttpRequest) -> Any:  # noqa: ANN401
    """Show a filter of each form that Django knows, and the currency to superusers only."""
    shown = ("state", ("gateway", admin.AllValuesFieldListFilter), OfSuperusersOnly)
    return (*shown, "currency") if request.user.is_superuser else shown


def test_a_filter_is_admitted_to_those_who_are_shown_it(person: MakeUser, root: User) -> None:
    ours = type(admin.site.get_model_admin(PaymentOrder))
    at = type("OwnFilters", (ours,), {"get_list_filter": own_filters})(PaymentOrder, admin.site)
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
