"""A customer's data from a shell: on the screen, or in a file that only its owner reads."""

from __future__ import annotations

import json
import stat
from decimal import Decimal
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from wallet_gateway import payments

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _order() -> None:
    payments.create_order(
        reference="A-1", currency="EUR", amount=Decimal("10.00"), cardholder_email="ada@example.com"
    )


def test_it_is_written_as_json() -> None:
    out = StringIO()
    call_command("wallet_customer_data", "ADA@example.com", stdout=out)
    (order,) = json.loads(out.getvalue())["orders"]
    assert order["reference"] == "A-1"


def test_a_file_is_new_and_its_owners(tmp_path: Path) -> None:
    file = tmp_path / "ada.json"
    call_command("wallet_customer_data", "ada@example.com", output=str(file), stdout=StringIO())
    assert json.loads(file.read_text(encoding="utf-8"))["email"] == "ada@example.com"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with pytest.raises(CommandError, match="cannot be written: File exists"):
        call_command("wallet_customer_data", "ada@example.com", output=str(file))


def test_an_address_of_no_order_is_said_and_not_repeated() -> None:
    with pytest.raises(CommandError, match="no order has this e-mail address"):
        call_command("wallet_customer_data", "bob@example.com")
