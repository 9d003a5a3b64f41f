"""Dates on our pages of the admin: one short form, in the reader's language, and no other left anywhere."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

from django.template import Context, Template
from django.utils import timezone, translation

import wallet_gateway

MOMENT = datetime(2026, 11, 22, 23, 30, 5, tzinfo=UTC)
TEMPLATES = Path(wallet_gateway.__file__).parent / "templates" / "admin"


def drawn(text: str, at: datetime | None) -> str:
    with translation.override("de"), timezone.override("Asia/Tokyo"):
        return Template("{% load wallet_admin %}" + text).render(Context({"at": at}))


def test_a_time_is_written_in_the_readers_language_and_zone() -> None:
    assert drawn("{{ at|admin_date }}", MOMENT) == "<bdi>23.11.2026</bdi>"
    assert drawn("{{ at|admin_datetime }}", MOMENT) == "<bdi>23.11.2026, 08:30</bdi>"
    assert drawn("{{ at|admin_datetime:'seconds' }}", MOMENT) == "<bdi>23.11.2026, 08:30:05</bdi>"


def test_what_has_no_time_is_left_empty() -> None:
    assert drawn("{{ at|admin_date }}{{ at|admin_datetime }}", None) == ""


def test_no_page_of_the_admin_writes_dates_in_another_form() -> None:
    pages = list(TEMPLATES.rglob("*.html"))
    assert pages
    # Of Django's own filter only what machines read: a `datetime` attribute and the value of a date field.
    others = [
        f"{page.name}: {form}"
        for page in pages
        for form in re.findall(r"\|(?:date|time)\b[^ }%]*", page.read_text())
        if form not in {"|date:'c'", "|date:'Y-m-d'"}
    ]
    assert others == []
