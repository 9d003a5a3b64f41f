"""The columns that an audit package must leave out, as the documentation names them."""

from __future__ import annotations

import re
from pathlib import Path

from django.apps import apps
from django.db.models import BinaryField

PAGE = Path(__file__).parents[2] / "docs" / "security.md"


def named() -> set[tuple[str, str]]:
    section = PAGE.read_text(encoding="utf-8").partition("Packages that copy rows\n")[2].partition("\n##")[0]
    return set(re.findall(r"`([A-Z]\w+)\.(\w+)`", section))


def test_each_column_that_the_page_names_is_there_and_each_ciphertext_is_named() -> None:
    there = {
        (model.__name__, field.name): field
        for model in apps.get_app_config("wallet_gateway").get_models()
        for field in model._meta.get_fields()
        if not model._meta.proxy
    }
    assert len(named()) > 10
    assert named() - there.keys() == set()
    ciphertexts = {column for column, field in there.items() if isinstance(field, BinaryField)}
    assert ciphertexts
    assert ciphertexts - named() == set()
