"""What holds for every page: it keeps what all promise, and breaks by no row of another version."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from contextlib import suppress
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import models
from django.test import Client
from pytest_django import Settings

from tests.admin.scenery import Scenery
from wallet_gateway.models import GatewayTransaction, OutboxEvent


@pytest.mark.django_db
def test_every_page_opens_and_keeps_what_all_pages_promise(superuser: Client, settings: Settings) -> None:
    settings.ROOT_URLCONF = "tests.admin.two_sites"
    faults = []
    for number, (name, url) in enumerate(Scenery().pages()):
        here, elsewhere = ("/ops/", "/admin/") if number % 2 else ("/admin/", "/ops/")
        answer = superuser.get(url.replace("/admin/", here, 1), follow=True)
        assert answer.status_code == 200, name
        page = answer.content.decode()
        ids = Counter(re.findall(r'\sid="([^"]+)"', page))
        faults += [f"{name}: two elements are {each}" for each, count in ids.items() if count > 1]
        links = re.findall(r'(?:href|action|data-wallet-page)="([^"]+)"', page)
        assert any(link.startswith(here) for link in links), name
        faults += [f"{name}: leads to another site: {link}" for link in links if link.startswith(elsewhere)]
        if name != "history" and "No real money moves here" not in page:
            faults.append(f"{name}: no word that it is a test")
        if "<script>alert" in page or "\u202e" in page:
            faults.append(f"{name}: text of others is not shown as text")
    assert not faults, "\n".join(faults)


# Rows of another version: a currency that no table knows, and values that no enumeration has

CODE = "QQQ"
"""No currency's code, and no member of an enumeration."""
MAIL = "robin.example@mail.example"
TABLES = tuple(apps.get_app_config("wallet_gateway").get_models())
CHOICES = [
    (table, field.name)
    for table in TABLES
    for field in table._meta.concrete_fields
    if field.choices and isinstance(field, models.CharField)
]
CODES = {"lifecycle_event", "decision", "late_payment", "cancellation_note", "card_type", "card_network"}
COLUMNS = {
    "currencies": [(table, "currency") for table in TABLES if hasattr(table, "currency")],
    "states": [(table, name) for table, name in CHOICES if "state" in name],
    "kinds, codes and others": [
        *((table, name) for table, name in CHOICES if "state" not in name),
        *(
            (table, field.name)
            for table in TABLES
            for field in table._meta.concrete_fields
            if field.name.endswith("_code") or field.name in CODES
        ),
    ],
}
"""The columns whose values a table or an enumeration may lose."""


@pytest.mark.usefixtures("gateway")
@pytest.mark.parametrize("columns", COLUMNS.values(), ids=COLUMNS)
def test_no_list_page_export_or_command_fails_because_of_a_value_of_another_version(
    superuser: Client, columns: list[tuple[type[models.Model], str]], tmp_path: Path
) -> None:
    scenery = Scenery()
    OutboxEvent.objects.create(
        kind="PAID",
        order=scenery.paid,
        currency="EUR",
        amount_minor=5,
        occurred_at=scenery.now,
        next_delivery_at=scenery.now,
    )
    for table, name in columns:
        # Not the manager's, which refuses to change an event.
        rows: models.QuerySet[models.Model] = models.QuerySet(table)
        if name == "reversal":
            rows = rows.filter(captured=0, capture_reserved=0)
        rows.update(**{name: CODE})
    superuser.raise_request_exception = False
    answers = {name: superuser.get(url, follow=True).status_code for name, url in scenery.pages()}
    assert {name: status for name, status in answers.items() if status >= 500} == {}
    # What is due is handled by the sweep, and not only shown.
    models.QuerySet(GatewayTransaction).update(next_query_at=scenery.now - timedelta(hours=1))
    exports = itertools.product(("orders", "transactions", "events", "discrepancies"), ("csv", "json"))
    for name, *arguments in (
        *(("wallet_export", what, "--format", form) for what, form in exports),
        ("wallet_support_bundle", scenery.paid.reference, "--output", str(tmp_path / "bundle.zip")),
        ("wallet_customer_data", MAIL),
        ("wallet_stop", "--status"),
        ("wallet_sweep",),
        ("wallet_doctor",),
    ):
        # A command may find something: it says so, and does not break.
        with suppress(CommandError, SystemExit):
            call_command(name, *arguments, stdout=StringIO(), stderr=StringIO())
