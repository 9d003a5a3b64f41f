"""A support bundle from a shell."""

from __future__ import annotations

import zipfile
from decimal import Decimal
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from wallet_gateway import payments

pytestmark = pytest.mark.django_db


def bundle(*arguments: str) -> str:
    out = StringIO()
    call_command("wallet_support_bundle", *arguments, stdout=out)
    return out.getvalue().strip()


def test_a_zip_is_written_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    order = payments.create_order(reference="../B/1", currency="EUR", amount=Decimal("1.00"))
    assert bundle("../B/1") == f"wallet-order-{order.pk}.zip"
    assert bundle("../B/1", "--output", str(tmp_path / "story.zip")) == str(tmp_path / "story.zip")
    with zipfile.ZipFile(tmp_path / "story.zip") as archive:
        assert "timeline" not in archive.namelist()
        assert "order.json" in archive.namelist()


def test_an_order_that_is_not_there_and_a_folder_that_is_not_there_are_said(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no order has the reference 'NONE'"):
        bundle("NONE")
    payments.create_order(reference="B-1", currency="EUR", amount=Decimal("1.00"))
    with pytest.raises(CommandError, match="cannot be written"):
        bundle("B-1", "--output", str(tmp_path / "none" / "story.zip"))
