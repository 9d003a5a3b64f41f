"""Which canary may stand where, and why. All else is a leak, and a line that nothing uses is one too many.

A place is a pattern of `fnmatch`: `column TABLE.NAME`, `log LOGGER`, `admin PAGE to PERSON`, and so on.
"""

from __future__ import annotations

from tests.security.canaries import PERSONAL

Allowances = dict[tuple[str, str], str]

_CONTENT = "the order's own data, until they are erased: the checkout request is made of them"
_UNSENT = "the exact bytes of a request that may still be sent; erased by retention and by `wallet_erase`"
_GIVEN = "what the customer gave on the wallet's sheet, for the shop to deliver to; erased in the same way"
_SHOWN = "an order's page shows its customer to whom `view_customer` is granted"
_LISTED = "the list of orders names the customer to whom `view_customer` is granted"
_DEVELOPERS = "the sandbox is the gateway: on a developer's machine, with invented customers"

ALLOWED: Allowances = {
    **{(name, "column wallet_gateway_paymentorder.content"): _CONTENT for name in PERSONAL},
    **{(name, "column wallet_gateway_gatewaytransaction.request_body"): _UNSENT for name in PERSONAL},
    ("user id", "column wallet_gateway_gatewaytransaction.request_body"): _UNSENT,
    **{
        (name, "column wallet_gateway_walletattempt.given"): _GIVEN
        for name in PERSONAL
        if name not in {"telephone", "national id"}
    },
    **{
        (name, "admin paymentorder_change to superuser"): _SHOWN for name in PERSONAL if name != "national id"
    },
    **{(name, "admin paymentorder_changelist to superuser"): _LISTED for name in ("first name", "last name")},
    (
        "city",
        "page result",
    ): "where the parcel goes, for a day after the payment; no street, no name",
    ("e-mail", "mail"): "the address that the mail goes to",
    ("e-mail", "answer"): "the report on a migration file quotes a wrong cell, to the person who uploaded it",
    ("order token", "column wallet_gateway_paymentorder.token"): "where it is looked up",
    ("order token", "log django.request"): "Django logs the path of what it refuses",
    ("order token", "page *"): "the addresses of the page's own form and script",
    ("payment account", "column wallet_gateway_walletattempt.account_id"): (
        "an account is charged once; without the merchant's key it opens nothing"
    ),
    ("api key", "answer"): "the wallet's script in the customer's browser needs it; it is a public key",
    ("session cookie", "column django_session.session_key"): "Django's own table of sessions",
    ("csrf token", "page *"): "the customer's own cookie, where the page has a form",
    **{
        (name, "sandbox *"): _DEVELOPERS
        for name in (*PERSONAL, "user id", "payment account", "return token")
        if name != "national id"
    },
}
