"""Every page of this app under axe-core: in both directions of writing, light and dark, narrow and wide."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.template.loader import get_template
from django.test import RequestFactory
from django.utils import timezone, translation

from tests.axe import violations, violations_in_every_look
from tests.exhaustive import LANGUAGES, one_of
from tests.still_pages import show
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.models import PaymentOrder
from wallet_gateway.web.pages import PageKind, ResultPage

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

STATES = ["loading", "ready", "busy", "unavailable", "closed"]
SPILLS = "document.documentElement.scrollWidth > innerWidth"
# What the element does to itself, without the wallet and the shop that it needs for that.
BECOMES = """(state) => {
  const name = "wallet-pay-button"
  if (!customElements.get(name)) customElements.define(name, class extends HTMLElement {})
  const element = document.querySelector(name)
  const place = element.querySelector(".wallet-button__place")
  const texts = element.dataset
  element.dataset.walletState = state
  place.replaceChildren(element.querySelector("template").content.cloneNode(true))
  place.hidden = state !== "ready" && state !== "busy"
  const words = { loading: texts.walletTextLoading, ready: "", unavailable: texts.walletTextUnavailable }
  element.querySelector("[role=status]").textContent = words[state] ?? texts.walletTextUnclear
}"""


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


def faults(page: Page) -> list[str]:
    return violations(page) + (["stands out over the edge"] if page.evaluate(SPILLS) else [])


@pytest.mark.parametrize(
    ("language", "scheme", "width", "states"),
    one_of(
        [
            ("de", "dark", 390, ["ready"]),
            ("de", "dark", 390, STATES),
            ("en", "light", 1280, STATES),
            ("ar", "light", 390, STATES),
        ]
    ),
)
def test_axe_finds_nothing_on_any_page(
    browser: Browser, language: str, scheme: str, width: int, states: list[str]
) -> None:
    found = {}
    with browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 844}) as context:  # type: ignore[arg-type]
        page = context.new_page()
        for name in [*PageKind, "unavailable"]:
            with translation.override(language):
                show(page, rendered(name))
            found[str(name)] = faults(page)
            for state in states if name == PageKind.PAY else ():
                page.evaluate(BECOMES, state)
                found[f"{name}, {state}"] = faults(page)
    assert {name: seen for name, seen in found.items() if seen} == {}


@pytest.mark.exhaustive
@pytest.mark.parametrize("language", LANGUAGES)
def test_axe_finds_nothing_on_any_page_in_any_look(browser: Browser, language: str) -> None:
    found = []
    with browser.new_context() as context:
        page = context.new_page()
        for name in [*PageKind, "unavailable"]:
            with translation.override(language):
                show(page, rendered(name))
            found += [f"{name}, {fault}" for fault in violations_in_every_look(page)]
    assert found == []
