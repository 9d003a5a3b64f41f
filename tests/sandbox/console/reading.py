"""A visitor of the console: makes payments, goes from page to page, and reads rows and facts."""

from __future__ import annotations

from typing import Any

from tests.sandbox.hosted.wire import checkout_body
from tests.sandbox.pages.visitor import Page, Visitor

TRANSACTIONS = "/api/v5/apmTransactions"


def pay(visitor: Visitor, outcome: str = "success", *, reference: str | None = None, **changes: Any) -> str:
    """Make a checkout, decide it, and give its reference."""
    body = checkout_body(amount="10.00") | changes
    if reference:
        body["clientSystemTransactionId"] = reference
    visitor.api("/api/v5/checkout", body)
    visitor.control.complete_checkout(body["clientSystemTransactionId"], outcome)
    return str(body["clientSystemTransactionId"])


def capture(visitor: Visitor, original: str, amount: str) -> str:
    """Capture part of an authorization and give the capture's reference."""
    body = {
        "merchantId": "SANDBOX-MERCHANT",
        "storeId": "SANDBOX-STORE",
        "userId": "sandbox-user",
        "type": "ecom.capture",
        "amount": amount,
        "currencyCode": "EUR",
        "clientSystemTransactionId": f"capture-of-{original}",
        "clientSystemInvoiceId": original,
        "apmDetails": {"apmProvider": "ExampleWalletV2"},
    }
    return str(visitor.api(TRANSACTIONS, body)["clientSystemTransactionId"])


def follow(visitor: Visitor, page: Page, text: str) -> Page:
    """Go where the link with that text leads."""
    (link, *_) = [a for a in page.markup.all("a") if a.read == text]
    return visitor.get(str(link.attributes["href"]))


def detail_of(visitor: Visitor, reference: str) -> Page:
    return follow(visitor, visitor.get("/transactions/"), reference)


def rows(page: Page) -> list[str]:
    return [cell.read for cell in page.markup.all("th") if cell.attributes.get("scope") == "row"]


def facts(page: Page) -> dict[str, str]:
    """The terms of the page's definition lists with what stands beside them."""
    terms = [element.read for element in page.markup.all("dt")]
    return dict(zip(terms, [element.read for element in page.markup.all("dd")], strict=True))
