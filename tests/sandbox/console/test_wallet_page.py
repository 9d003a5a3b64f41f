"""The console's page of the wallet: cards as far as anybody may know them, and 3-D Secure pages to go to."""

from __future__ import annotations

import pytest

from tests.sandbox.merchant import Merchant
from tests.sandbox.pages.soundness import assert_sound
from tests.sandbox.pages.visitor import Visitor
from tests.sandbox.wallet_buyer import Buyer


@pytest.fixture
def page_of_the_check(visitor: Visitor, merchant: Merchant) -> str:
    """Where the customer of the payment P-1 is asked."""
    url: str = Buyer(merchant, visitor.control).pending("P-1").json["redirectUrl"]
    return url


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
