"""The templates as a shop changes them: its own frame, its own page, and pages that stand by themselves."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
from django.template.loader import get_template
from django.test import Client
from pytest_django import Settings

from tests.web.conftest import address
from tests.web.page_reader import Page, assert_nothing_inline
from tests.web.rows import an_attempt, an_order
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.return_tokens import ReturnOutcome
from wallet_gateway.web.pages import PageKind

pytestmark = pytest.mark.django_db

FOLDER = Path(__file__).resolve().parent.parent.parent / "wallet_gateway" / "templates" / "wallet_gateway"
SHOP = """<!doctype html><html lang="en"><head><title>{% block title %}{% endblock %}</title>
{% block head %}{% endblock %}</head>
<body><header>The Shop</header>{% block content %}{% endblock %}</body></html>"""
TWO_LINES = """{% extends "base.html" %}
{% block content %}{% block wallet_content %}{% endblock %}{% endblock %}"""


def _shop_with(settings: Settings, folder: Path, **templates: str) -> None:
    for name, text in templates.items():
        path = folder / f"{name.replace('__', '/')}.html"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    changed = copy.deepcopy(settings.TEMPLATES)
    changed[0]["DIRS"] = [folder]
    settings.TEMPLATES = changed


def _result(client: Client, state: OrderState) -> Page:
    path = address("result", an_attempt(an_order(state)), ReturnOutcome.SUCCESS)
    return Page(client.get(path).content.decode())


def test_two_lines_put_the_pages_into_a_shops_own_frame(
    client: Client, settings: Settings, tmp_path: Path
) -> None:
    _shop_with(settings, tmp_path, base=SHOP, wallet_gateway__base=TWO_LINES)
    page = _result(client, OrderState.PENDING)
    assert page.text.startswith("The Shop")
    assert "We are checking your payment" in page.text
    # The style and the poll come with the content.
    assert page.one("link").attributes["href"].endswith("pages.css")
    assert page.one("script").attributes["src"].partition("?")[0].endswith("pending.js")


def test_a_shop_changes_the_words_of_one_page(client: Client, settings: Settings, tmp_path: Path) -> None:
    mine = """{% extends "wallet_gateway/paid.html" %}
    {% block wallet_message %}{{ block.super }}<p>Your mugs are on their way.</p>{% endblock %}"""
    _shop_with(settings, tmp_path, wallet_gateway__paid=mine)
    assert "Your mugs are on their way." in _result(client, OrderState.PAID).text
    assert "mugs" not in _result(client, OrderState.PENDING).text


@pytest.mark.parametrize("kind", list(PageKind))
def test_every_page_stands_by_itself(kind: PageKind) -> None:
    page = Page(get_template(f"wallet_gateway/{kind}.html").render({"page": None}))
    assert_nothing_inline(page)
    assert page.html.startswith("<!doctype html>")
    assert "<title></title>" not in page.html
    assert len(page.all("h1")) == 1
    assert "<svg" in page.html


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.svg")), ids=lambda path: path.name)
def test_a_drawing_takes_its_colour_from_the_page_and_is_not_read_aloud(path: Path) -> None:
    drawing = path.read_text(encoding="utf-8")
    assert 'stroke="currentColor"' in drawing
    assert 'aria-hidden="true"' in drawing
    assert "#" not in drawing
