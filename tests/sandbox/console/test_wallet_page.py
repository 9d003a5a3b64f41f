"""The console's page of the wallet: cards as far as anybody may know them, and 3-D Secure pages to go to."""

from __future__ import annotations

import pytest

from tests.sandbox.merchant import Merchant
from tests.sandbox.pages.soundness import assert_sound
from tests.sandbox.pages.visitor import Visitor
from tests.sandbox.wallet_buyer import Buyer

HEADINGS = {
    "en": ["Open 3-D Secure pages", "Payment accounts"],
    "de": ["Offene 3-D-Secure-Seiten", "Zahlungskonten"],
    "fr": ["Pages 3-D Secure ouvertes", "Comptes de paiement"],
    "es": ["Páginas 3-D Secure abiertas", "Cuentas de pago"],
    "ar": ["صفحات \u20663-D Secure\u2069 المفتوحة", "حسابات الدفع"],
}


@pytest.fixture
def page_of_the_check(visitor: Visitor, merchant: Merchant) -> str:
    """Where the customer of the payment P-1 is asked."""
    url: str = Buyer(merchant, visitor.control).pending("P-1").json["redirectUrl"]
    return url


def test_an_untouched_sandbox_says_where_accounts_and_checks_come_from(visitor: Visitor) -> None:
    page = visitor.get("/accounts/")
    assert "None. A card without a device token opens one." in page.text
    assert "None yet. The wallet button makes one of each card." in page.text
    assert_sound(page)


def test_an_account_is_shown_by_its_last_digits_alone(visitor: Visitor, page_of_the_check: str) -> None:
    assert page_of_the_check
    page = visitor.get("/accounts/")
    assert_sound(page)
    assert "VISA •••• 1881" in page.text
    # Neither the number nor how much of it the account's row knows beside these four.
    assert "40128888" not in page.html
    assert "41111111" not in page.html


def test_an_open_check_is_linked_until_it_is_decided(visitor: Visitor, page_of_the_check: str) -> None:
    links = [one.attributes["href"] for one in visitor.get("/accounts/").markup.all("a")]
    assert [link for link in links if link and page_of_the_check.endswith(link) and link != "/"]
    visitor.control.complete_three_d_secure("P-1", "success")
    assert "three-d-secure" not in visitor.get("/accounts/").html


def test_a_check_that_has_expired_is_not_open(visitor: Visitor, page_of_the_check: str) -> None:
    assert page_of_the_check
    visitor.control.advance_clock(86_400)
    assert "three-d-secure" not in visitor.get("/accounts/").html


@pytest.mark.parametrize("language", HEADINGS)
def test_it_speaks_the_browsers_language(visitor: Visitor, page_of_the_check: str, language: str) -> None:
    assert page_of_the_check
    page = visitor.get("/accounts/", Accept_Language=language)
    assert [one.read for one in page.markup.all("h2")] == HEADINGS[language]
    assert page.markup.one("html").attributes["lang"] == language
