"""Every page of this app under axe-core: wide and narrow, light and dark, in both directions of writing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.template.loader import get_template
from django.test import RequestFactory
from django.utils import timezone, translation

from tests.axe import violations
from tests.still_pages import show
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.models import PaymentOrder
from wallet_gateway.web.pages import PageKind, ResultPage

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

SPILLS = "document.documentElement.scrollWidth > innerWidth"


def rendered(name: str) -> str:
    """A page about an order that nobody has stored."""
    now = timezone.now()
    order = PaymentOrder(
        reference="SHOP-1",
        order_number="A-1001",
        currency="EUR",
        amount_minor=2490,
        state=OrderState.OPEN,
        token="t0ken",
        created_at=now,
        updated_at=now,
    )
    kind = PageKind(name) if name in set(PageKind) else PageKind.FAILED
    context = {"order": order, "page": ResultPage(kind=kind, order=order, token="t0ken")}
    return get_template(f"wallet_gateway/{name}.html").render(context, RequestFactory().get("/"))


@pytest.mark.parametrize(
    ("language", "scheme", "width", "names"),
    [
        ("en", "light", 1280, [*PageKind, "unavailable"]),
        ("ar", "dark", 390, [PageKind.PAY, PageKind.PAID]),
    ],
)
def test_axe_finds_nothing_on_any_page_in_any_look(
    browser: Browser, language: str, scheme: str, width: int, names: list[str]
) -> None:
    found = {}
    with browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 844}) as context:  # type: ignore[arg-type]
        page = context.new_page()
        for name in names:
            with translation.override(language):
                show(page, rendered(name))
            found[str(name)] = violations(page)
            if page.evaluate(SPILLS):
                found[str(name)].append("stands out over the edge")
    assert {name: seen for name, seen in found.items() if seen} == {}
