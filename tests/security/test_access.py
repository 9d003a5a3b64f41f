"""Every address and every action, tried by everybody: admitted are those that the table names, no others."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission, User
from django.template.response import SimpleTemplateResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from tests.admin.conftest import write_permissions
from tests.admin.test_read_only import a_row_of_each
from tests.docs.pages import ROOT
from tests.models.rows import a_payment, a_transaction, an_approval
from tests.security.access_table import (
    ACTIONS,
    ADDRESSES,
    MONITOR,
    NOBODY,
    PARTS,
    TOKEN,
    Access,
    Action,
    Address,
)
from tests.security.canaries import HEALTH_TOKEN
from wallet_gateway import payments, return_tokens
from wallet_gateway.models import OperationBatch, PaymentOrder, TransactionEvent
from wallet_gateway.return_tokens import ReturnOutcome

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Answer
    from pytest_django import Settings

pytestmark = pytest.mark.django_db

Rows = dict[str, list[Any]]
LOGIN = "/admin/login/"
OF_DJANGO = {
    None,  # the short address of a row, which leads on to its page
    "index",
    "app_list",
    "login",
    "logout",
    "password_change",
    "password_change_done",
    "autocomplete",
    "jsi18n",
    "view_on_site",
}
"""What every admin site has. None of it shows a row of this app."""
SAYS_SO_BY_STATUS = {
    ("health", 503),
    *((name, 409) for name in ("checkout", "wallet_checkout", "wallet_session")),
}
"""Answers to who was let in: something needs attention, and the order is paid."""
OTHER_APPS = ("auth_", "shop_")


@dataclass(frozen=True)
class Person:
    """Somebody with a browser, and what they hold; `is_staff` says whether the admin takes them for staff."""

    name: str
    held: frozenset[str]
    is_staff: bool
    client: Client

    def is_admitted_by(self, access: Access) -> bool:
        return access.admits(self.held) and (self.is_staff or not access.needs_staff)


@pytest.fixture(autouse=True)
def _addresses(settings: Settings) -> None:
    settings.ROOT_URLCONF = "tests.security.urls"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """Leave out what comes after a person is let in or not: the page's HTML, and the tracebacks of 403."""
    monkeypatch.setattr(SimpleTemplateResponse, "rendered_content", "")
    caplog.set_level(logging.CRITICAL, "django.request")


class People:
    """Everybody who tries an address: who stands for a kind, and staff with exactly the right permissions.

    Nobody is kept out by a permission too many. So it is enough to see that each set that the table calls
    enough is let in, and that each of the largest sets that are not enough is kept out.
    """

    def __init__(self) -> None:
        write_permissions()
        found = Permission.objects.filter(content_type__app_label="wallet_gateway")
        self._known = {permission.codename: permission for permission in found}
        self._every = frozenset(self._known)
        self._staff: dict[frozenset[str], Person] = {}
        root = User.objects.create_superuser("root")
        gone = User.objects.create_superuser("root who left", is_active=False)
        views = frozenset(name for name in self._every if name.startswith("view_"))
        self.of_each_kind = [
            Person("anonymous", frozenset(), is_staff=False, client=Client()),
            self._person(root, self._every),
            self._person(gone, frozenset()),
            self._with("all but staff", self._every, is_staff=False),
            *map(self.staff, (frozenset[str](), self._every, views)),
        ]

    def who_try(self, access: Access) -> Iterator[Person]:
        yield from self.of_each_kind
        yield from map(self.staff, access.ways)
        for lacking in product(*access.ways):
            yield self.staff(self._every - frozenset(lacking))

    def staff(self, held: frozenset[str]) -> Person:
        if held not in self._staff:
            self._staff[held] = self._with(f"staff {len(self._staff)}", held)
        return self._staff[held]

    def _with(self, name: str, held: frozenset[str], *, is_staff: bool = True) -> Person:
        user = User.objects.create_user(name, is_staff=is_staff)
        user.user_permissions.set([self._known[codename] for codename in held])
        return self._person(user, held)

    def _person(self, user: User, held: frozenset[str]) -> Person:
        client = Client()
        client.force_login(user)
        return Person(user.username, held, is_staff=user.is_staff and user.is_active, client=client)


@pytest.fixture
def people(db: None) -> People:
    return People()


@pytest.fixture
def rows(db: None) -> Rows:
    """What the addresses are about: one row of each kind, in the state in which most can be done to it."""
    made = a_row_of_each()
    order, unknown = made["paymentorder"], made["gatewaytransaction"]
    payment = unknown.payment
    unsent = a_transaction(payment, state="NOT_SENT", kind="CAPTURE")
    soon = timezone.now() + timedelta(days=1)
    paid = payments.create_order(reference="PAID", currency="EUR", amount=Decimal("20.00"))
    PaymentOrder.objects.filter(pk=paid.pk).update(state="PAID")
    attempt = a_payment(paid, state="CAPTURED", authorized=2000, captured=2000)
    a_transaction(attempt, kind="CHECKOUT", state="APPROVED", reference=attempt.reference)
    asked = an_approval(payment=attempt, expires_at=soon, kind="REFUND")
    batches = {
        name: OperationBatch.objects.create(
            kind=kind,
            state=state,
            created_by="anna",
            created_at=soon,
        )
        for name, kind, state in (
            ("draft", "CAPTURE", "DRAFT"),
            ("operationbatch", "CAPTURE", "FINISHED"),
            ("queries", "STATUS_QUERY", "FINISHED"),
        )
    }
    return {
        "": [],
        **{name: [row.pk] for name, row in (made | batches).items()},
        **{slug: [order.pk, payment.pk, slug] for slug in ("capture", "refund", "reversal")},
        "unsent": [unsent.pk],
        "approval": [asked.pk],
        "gateway": ["default"],
        "stop": ["default", "stop"],
        "order token": [paid.token],
        "return token": [return_tokens.sign(attempt.reference, ReturnOutcome.SUCCESS)],
    }


def url_of(address: Address, rows: Rows) -> str:
    url = reverse(address.name, args=rows[address.row])
    return f"{url}?ids={rows['migrateddeposit'][0]}" if address.name.endswith("_refund") else url


# The table is whole


def _names(patterns: list[URLPattern | URLResolver], space: str = "") -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            inner = f"{space}{pattern.namespace}:" if pattern.namespace else space
            yield from _names(pattern.url_patterns, inner)
        elif pattern.name not in OF_DJANGO and not str(pattern.name).startswith(OTHER_APPS):
            yield f"{space}{pattern.name}"


def test_every_address_is_in_the_table() -> None:
    assert set(_names(get_resolver().url_patterns)) == {address.name for address in ADDRESSES}


def test_every_action_is_in_the_table() -> None:
    ours = [at for model, at in admin.site._registry.items() if model._meta.app_label == "wallet_gateway"]
    known = {(str(at.opts.model_name), name) for at in ours for name in at.actions or ()}
    assert known == {(action.model, action.name) for action in ACTIONS}


def test_the_table_of_the_page_is_this_one() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "update-access-table"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"run scripts/update-access-table\n{done.stdout}{done.stderr}"


# The table is true


def _is_let_in(answer: Answer, address: str = "") -> bool:
    if answer.status_code == 302:
        return not answer.headers["Location"].startswith(LOGIN)
    return answer.status_code < 400 or (address, answer.status_code) in SAYS_SO_BY_STATUS


def _tries(address: Address) -> Iterator[tuple[str, Access]]:
    """Give the methods to try: where both are the same to everybody, the one that matters is enough."""
    methods = {"get": address.get, "post": address.post}
    if address.get == address.post:
        del methods["get" if address.is_form else "post"]
    yield from methods.items()


def _json_for(address: Address, method: str) -> dict[str, Any]:
    is_api = method == "post" and ":wallet_" in address.name and not address.name.startswith("admin")
    return {"data": "{}", "content_type": "application/json"} if is_api else {}


def _is_carried_out(client: Client, action: Action, rows: Rows) -> bool:
    """Whether an action leads on: one that is not offered comes back to its list."""
    url = reverse(f"admin:wallet_gateway_{action.model}_changelist")
    chosen = {"action": action.name, "_selected_action": rows[action.model]}
    answer = client.post(url, chosen)
    return answer.status_code == 302 and answer.headers["Location"] not in {url, f"{LOGIN}?next={url}"}


def _held(person: Person) -> str:
    return f"{person.name} with {', '.join(sorted(person.held)) or 'nothing'}"


def test_each_address_lets_in_whom_the_table_names(people: People, rows: Rows) -> None:
    faults = []
    draft = OperationBatch.objects.filter(pk=rows["draft"][0])
    for address in ADDRESSES:
        for method, access in _tries(address):
            for person in people.who_try(access):
                draft.update(created_by=person.name)  # a draft is its author's
                send = getattr(person.client, method)
                answer = send(url_of(address, rows), **_json_for(address, method))
                expected = person.is_admitted_by(access) and not access.needs_session
                if _is_let_in(answer, address.name.rpartition(":")[2]) != expected:
                    faults.append(f"{method} {address.name} by {_held(person)}: {answer.status_code}")
    assert not faults, f"{len(faults)} faults:\n" + "\n".join(faults)


def test_each_action_is_carried_out_for_whom_the_table_names(people: People, rows: Rows) -> None:
    wrong = [
        f"{action.name} of {action.model} by {_held(person)}"
        for action in ACTIONS
        for person in people.who_try(action.access)
        if _is_carried_out(person.client, action, rows) != person.is_admitted_by(action.access)
    ]
    assert not wrong


def test_each_part_of_an_orders_page_is_shown_to_whom_the_table_names(people: People, rows: Rows) -> None:
    order = PaymentOrder.objects.get(pk=rows["paymentorder"][0])
    TransactionEvent.objects.create(
        transaction=a_transaction(a_payment(order)),
        kind="ANSWER",
        state_after="APPROVED",
        answer_body="{}",
        occurred_at=timezone.now(),
    )
    url = reverse("admin:wallet_gateway_paymentorder_change", args=[order.pk])
    wrong = []
    for part in PARTS:
        for person in people.who_try(part.access):
            page = (getattr(person.client.get(url), "context_data", None) or {}).get("page")
            if (page is not None and part.is_shown(page)) != person.is_admitted_by(part.access):
                wrong.append(f"{part.label}: {_held(person)}")
    assert not wrong


def test_the_token_of_monitors_opens_their_pages_and_no_other(rows: Rows, settings: Settings) -> None:
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {"HEALTH_TOKEN": HEALTH_TOKEN}
    client = Client(headers={"authorization": f"Bearer {HEALTH_TOKEN}"})
    for address in ADDRESSES:
        if address.get not in (NOBODY, TOKEN):
            answer = client.get(url_of(address, rows))
            assert _is_let_in(answer, address.name.rpartition(":")[2]) == (address.get == MONITOR), address


def test_no_page_takes_a_post_without_a_csrf_token(rows: Rows) -> None:
    write_permissions()
    client = Client(enforce_csrf_checks=True)
    client.force_login(User.objects.create_superuser("root"))
    taken = [
        address.name
        for address in ADDRESSES
        if client.post(url_of(address, rows), **_json_for(address, "post")).status_code not in {403, 405}
    ]

    assert taken == [address.name for address in ADDRESSES if not address.is_protected]
