"""The 3-D Secure page: what it says in every language, where its buttons lead, and when it is over."""

from __future__ import annotations

import pytest

from tests.sandbox.merchant import Merchant
from tests.sandbox.pages.soundness import assert_sound
from tests.sandbox.pages.visitor import Visitor
from tests.sandbox.wallet_buyer import Buyer, back_at
from wallet_gateway.testing.control import SandboxControl

HEADINGS = {
    "en": "Confirm that it is you",
    "de": "Bestätigen Sie, dass Sie es sind",
    "fr": "Confirmez que c\u2019est bien vous",
    "es": "Confirme que es usted",
    "ar": "أكِّد أنك أنت",
}


@pytest.fixture
def visitor(control: SandboxControl) -> Visitor:
    return Visitor(control.base_url)


@pytest.fixture
def link(buyer: Buyer) -> str:
    """The page of a payment of 10.00 EUR."""
    url: str = buyer.pending("P-1").json["redirectUrl"]
    return url


@pytest.mark.parametrize("language", HEADINGS)
def test_it_speaks_the_browsers_language(visitor: Visitor, link: str, language: str) -> None:
    page = visitor.get(link, Accept_Language=f"{language},en;q=0.5")
    assert page.status == 200
    assert page.markup.one("h1").read == HEADINGS[language]
    root = page.markup.one("html").attributes
    assert (root["lang"], root["dir"]) == (language, "rtl" if language == "ar" else "ltr")
    assert "40128888" not in page.html


def test_the_page_is_sound(visitor: Visitor, link: str, control: SandboxControl) -> None:
    assert_sound(visitor.get(link))
    control.complete_three_d_secure("P-1", "success")
    assert_sound(visitor.get(link))


@pytest.mark.parametrize(
    ("outcome", "to", "state"),
    [
        ("success", "success", "Approved"),
        ("failed", "refused", "Errored"),
        ("abandoned", "cancel", "Pending"),
    ],
)
def test_each_button_leads_to_its_url(
    visitor: Visitor, merchant: Merchant, link: str, outcome: str, to: str, state: str
) -> None:
    buttons = {one.attributes["value"] for one in visitor.get(link).markup.all("button")}
    assert buttons == {"success", "failed", "abandoned"}
    page = visitor.post(link, {"outcome": outcome})
    assert (page.status, page.headers["Location"]) == (303, back_at(to))
    assert merchant.record("P-1")["state"] == state


def test_it_is_over_once_it_is_left(visitor: Visitor, link: str) -> None:
    visitor.post(link, {"outcome": "failed"})
    for page in (visitor.get(link), visitor.post(link, {"outcome": "success"})):
        assert page.status == 410
        assert page.markup.one("h1").read == "This check is over"
        assert back_at("return") in [one.attributes["href"] for one in page.markup.all("a")]


@pytest.mark.parametrize("fields", [{}, {"outcome": "other"}])
def test_a_form_without_a_decision_decides_nothing(
    visitor: Visitor, merchant: Merchant, link: str, fields: dict[str, str]
) -> None:
    page = visitor.post(link, fields)
    assert page.status == 400
    assert page.markup.one("h1").read == HEADINGS["en"]
    assert merchant.record("P-1")["state"] == "Pending"


@pytest.mark.parametrize("token", ["x", "%00", "a" * 300])
def test_an_unknown_link_says_so(visitor: Visitor, token: str) -> None:
    page = visitor.get(f"{visitor.base_url}/three-d-secure/{token}/")
    assert page.status == 404
