"""Who may open which address and carry out which action: the table that a test and docs/security.md use.

A new address that is not here fails `test_access`. After a change here run `scripts/update-access-table`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

CAPTURE, REFUND, REVERSE = "capture_payment", "refund_payment", "reverse_payment"
DETACHED_REFUND, RESOLVE, APPROVE = "detached_refund", "resolve_unknown", "approve_operation"
ROTATE_KEYS, STOP_SENDING, VIEW_HEALTH = "rotate_keys", "stop_sending", "view_health"
RAISE_LIMITS, CANCEL_ORDER = "raise_wallet_limits", "cancel_order"
SEE_CUSTOMER = "view_customer"
SEE_ORDERS, SEE_TRANSACTIONS = "view_paymentorder", "view_gatewaytransaction"
SEE_DEPOSITS, SEE_DISCREPANCIES = "view_migrateddeposit", "view_discrepancy"
SEE_EVENTS, SEE_APPROVALS, SEE_BATCHES = "view_transactionevent", "view_approval", "view_operationbatch"


@dataclass(frozen=True, slots=True)
class Access:
    """Who is let in: an account with all permissions of one of the `ways`.

    Without `ways` nobody is, superusers included. `words` stands for what is no permission of Django's.
    """

    ways: tuple[frozenset[str], ...] = ()
    needs_staff: bool = True
    words: str = ""

    def admits(self, permissions: Iterable[str]) -> bool:
        """Return whether somebody with these permissions is let in."""
        held = frozenset(permissions)
        return any(way <= held for way in self.ways)

    def __str__(self) -> str:
        if self.words or not self.ways:
            return self.words or "nobody"
        ways = (" and ".join(f"`{name}`" for name in sorted(way)) or "all staff" for way in self.ways)
        return " or ".join(ways)

    @property
    def needs_session(self) -> bool:
        """Whether the customer must come from the session that was shown the button."""
        return self == SESSION


def all_of(*permissions: str) -> Access:
    return Access((frozenset(permissions),))


def one_of(*permissions: str) -> Access:
    return Access(tuple(frozenset({name}) for name in permissions))


NOBODY = Access()
STAFF = all_of()
TOKEN = Access((frozenset(),), needs_staff=False, words="the token in the address")
SESSION = replace(
    TOKEN,
    words="the token in the address, from the session that was shown the button or with an access token",
)
MONITOR = replace(all_of(VIEW_HEALTH), needs_staff=False, words="`HEALTH_TOKEN`, or `view_health`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """One address: `name` as `reverse` knows it, the row it is about, and who may GET and POST it."""

    page: str
    """What people call it."""
    name: str
    row: str = ""
    """The key of its arguments in the rows that `test_access` makes; empty for none."""
    get: Access
    post: Access
    is_form: bool = False
    """Whether a POST does something; else it shows what a GET shows."""
    is_protected: bool = True
    """Whether a POST without a CSRF token is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One action on rows ticked in a list."""

    label: str
    model: str
    name: str
    access: Access


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of an order's page that takes more than seeing the order."""

    label: str
    is_shown: Callable[[Any], bool]
    """Whether the page's data have the part, of an order that has everything."""
    access: Access


_SEES_APPROVALS = one_of(APPROVE, CAPTURE, DETACHED_REFUND, REFUND, RESOLVE, REVERSE, SEE_APPROVALS)
_SEES_BATCHES = one_of(CAPTURE, DETACHED_REFUND, REFUND, REVERSE, SEE_BATCHES, SEE_ORDERS, SEE_TRANSACTIONS)
_HAS_OWN_PAGE = {"approval", "operationbatch"}
"""Their page of Django's own leads on to another one, whatever the method."""
_VIEWERS = {
    "paymentorder": ("orders", one_of(SEE_ORDERS)),
    "gatewaytransaction": ("transactions", one_of(SEE_TRANSACTIONS)),
    "transactionevent": ("transaction events", one_of(SEE_EVENTS)),
    "discrepancy": ("differences", one_of(SEE_DISCREPANCIES)),
    "migrateddeposit": ("migrated deposits", one_of(SEE_DEPOSITS)),
    "operationbatch": ("batches", _SEES_BATCHES),
    "approval": ("approvals", _SEES_APPROVALS),
}


def _rows_pages() -> Iterator[Address]:
    """Give the addresses that Django's admin makes for each model."""
    for model, (words, access) in _VIEWERS.items():
        name = f"admin:wallet_gateway_{model}"
        page = access if model in _HAS_OWN_PAGE else NOBODY
        yield Address(page=f"list of {words}", name=f"{name}_changelist", get=access, post=access)
        yield Address(page=f"one of the {words}", name=f"{name}_change", row=model, get=access, post=page)
        yield Address(
            page=f"history of one of the {words}", name=f"{name}_history", row=model, get=access, post=access
        )
        yield Address(page=f"adding {words}", name=f"{name}_add", get=NOBODY, post=NOBODY)
        yield Address(page=f"deleting {words}", name=f"{name}_delete", row=model, get=NOBODY, post=NOBODY)


def _form(page: str, name: str, row: str, post: Access, *, get: Access | None = None) -> Address:
    """Return a page with a form, which who may send it may also see, unless it is said otherwise."""
    name = f"admin:wallet_gateway_{name}"
    return Address(page=page, name=name, row=row, get=post if get is None else get, post=post, is_form=True)


_CAPTURES, _REFUNDS = all_of(SEE_ORDERS, CAPTURE), all_of(SEE_ORDERS, REFUND)
_REVERSES, _CANCELS = all_of(SEE_ORDERS, REVERSE), all_of(SEE_ORDERS, CANCEL_ORDER)
_RAISES, _SENDS_AGAIN = all_of(SEE_ORDERS, RAISE_LIMITS), all_of(SEE_TRANSACTIONS, CAPTURE)
_DECIDES, _CLOSES = all_of(SEE_TRANSACTIONS, RESOLVE), all_of(SEE_DISCREPANCIES, RESOLVE)
_MIGRATES, _SEES_FIGURES = all_of(SEE_DEPOSITS, DETACHED_REFUND), one_of(SEE_TRANSACTIONS)
_SEES_HEALTH, _ROTATES = all_of(SEE_TRANSACTIONS, VIEW_HEALTH), all_of(SEE_TRANSACTIONS, ROTATE_KEYS)
_STOPS, _AGREES = all_of(SEE_TRANSACTIONS, STOP_SENDING), all_of(REFUND, APPROVE)
_ANOTHER = "(another kind: its own permission)"
_OWN_PAGES = (
    _form("capturing", "paymentorder_operation", "capture", _CAPTURES),
    _form("refunding", "paymentorder_operation", "refund", _REFUNDS),
    _form("reversing", "paymentorder_operation", "reversal", _REVERSES),
    _form(
        *("asking the gateway about an order", "paymentorder_query", "paymentorder", one_of(SEE_ORDERS)),
        get=NOBODY,
    ),
    _form("cancelling an order that is not paid", "paymentorder_cancel", "paymentorder", _CANCELS),
    _form("raising the limits of the wallet button", "paymentorder_wallet_limits", "paymentorder", _RAISES),
    _form(f"sending a capture again {_ANOTHER}", "gatewaytransaction_send_again", "unsent", _SENDS_AGAIN),
    _form(
        f"marking a refused capture as seen {_ANOTHER}",
        *("gatewaytransaction_refusal_seen", "unsent", _SENDS_AGAIN),
        get=NOBODY,
    ),
    _form("deciding on an outcome", "gatewaytransaction_decide", "gatewaytransaction", _DECIDES),
    _form("closing a difference", "discrepancy_close", "discrepancy", _CLOSES),
    _form("booking a difference", "discrepancy_book", "discrepancy", _CLOSES),
    _form(
        *("a request to refund (agreeing: POST)", "approval_decide", "approval", _AGREES), get=one_of(REFUND)
    ),
    _form(
        "confirming a batch of captures (its author only)", "operationbatch_confirm", "draft", one_of(CAPTURE)
    ),
    _form("a batch of captures", "operationbatch_progress", "operationbatch", one_of(CAPTURE)),
    _form("a batch of status queries", "operationbatch_progress", "queries", _SEES_BATCHES),
    _form(
        *("steering a batch of captures", "operationbatch_steer", "operationbatch", one_of(CAPTURE)),
        get=NOBODY,
    ),
    _form("importing a migration file", "migrateddeposit_import", "", _MIGRATES),
    _form("exporting a migration file", "migrateddeposit_export", "gateway", _MIGRATES),
    _form("the report of the migration", "migrateddeposit_report", "", one_of(SEE_DEPOSITS)),
    _form("refunding deposits", "migrateddeposit_refund", "", _MIGRATES),
    _form("the dashboard", "dashboard_changelist", "", _SEES_FIGURES),
    _form("its figures", "dashboard_figures", "", _SEES_FIGURES),
    _form("its figures alone", "dashboard_figures_part", "", _SEES_FIGURES),
    _form("its figures as CSV", "dashboard_csv", "", _SEES_FIGURES),
    _form("the health of payments", "dashboard_health", "", _SEES_HEALTH),
    _form("encryption keys", "dashboard_keys", "", _ROTATES),
    _form("the emergency stop", "dashboard_stop", "stop", _STOPS),
)


def _public(page: str, name: str, row: str, *, get: Access = NOBODY, post: Access = NOBODY) -> Address:
    return Address(page=page, name=f"wallet_gateway:{name}", row=row, get=get, post=post)


_CUSTOMERS_PAGES = (
    _public("payment page", "pay", "order token", get=TOKEN),
    _public("opening the gateway's page", "checkout", "order token", get=TOKEN, post=TOKEN),
    _public("waiting for the gateway's page", "opening", "order token", get=TOKEN),
    replace(
        _public("coming back from the gateway", "return", "return token", get=TOKEN, post=TOKEN),
        is_protected=False,
    ),
    _public("result page", "result", "return token", get=TOKEN),
    _public("API: status", "status", "return token", get=TOKEN),
    _public("API: opening the gateway's page", "wallet_checkout", "order token", post=TOKEN),
    _public("API: the button's session", "wallet_session", "order token", post=TOKEN),
    *(
        _public(f"API: {what}", f"wallet_{what}", "order token", post=SESSION)
        for what in ("reference", "price", "event", "result")
    ),
)
_MONITORS_PAGES = (
    _public("health view", "health", "", get=MONITOR),
    Address(page="metrics for Prometheus, where mounted", name="metrics", get=MONITOR, post=NOBODY),
)

ADDRESSES: tuple[Address, ...] = (*_rows_pages(), *_OWN_PAGES, *_CUSTOMERS_PAGES, *_MONITORS_PAGES)
ACTIONS = (
    Action(label="capturing", model="paymentorder", name="capture_many", access=_CAPTURES),
    Action(label="refunding", model="paymentorder", name="refund_many", access=_REFUNDS),
    Action(label="reversing", model="paymentorder", name="reverse_many", access=_REVERSES),
    Action(label="asking the gateway", model="paymentorder", name="query_many", access=one_of(SEE_ORDERS)),
    Action(label="asking the gateway", model="gatewaytransaction", name="query_many", access=_SEES_FIGURES),
    Action(
        label="marking refusals as seen (each with the permission of its kind)",
        model="gatewaytransaction",
        name="mark_seen_many",
        access=_SEES_FIGURES,
    ),
    Action(label="refunding", model="migrateddeposit", name="refund_many", access=_MIGRATES),
)

PARTS = (
    Part(
        label="the customer and the addresses",
        is_shown=lambda page: page["customer"] is not None,
        access=all_of(SEE_ORDERS, SEE_CUSTOMER),
    ),
    Part(
        label="the requests and answers",
        is_shown=lambda page: any(line["bodies"] for line in page["lines"]),
        access=all_of(SEE_ORDERS, SEE_EVENTS),
    ),
)


def page_rows() -> Iterator[str]:
    """Yield the table of docs/security.md; the pages that Django makes for each model share a row."""
    yield "| page or action | address | who |"
    yield "|---|---|---|"
    for model, (words, access) in _VIEWERS.items():
        names = f"`{model}_changelist`, `..._change`, `..._history`"
        yield f"| list, page and history of {words} | {names} | {access} |"
    yield "| adding and deleting rows by hand | `..._add`, `..._delete` | nobody |"
    for address in (*_OWN_PAGES, *_CUSTOMERS_PAGES, *_MONITORS_PAGES):
        yield f"| {address.page} | `{_short(address.name)}` | {_who(address)} |"
    for part in PARTS:
        yield f"| {part.label} on an order's page | `paymentorder_change` | {part.access} |"
    for action in ACTIONS:
        words = _VIEWERS[action.model][0]
        yield f"| {action.label}, many {words} | action `{action.name}` | {action.access} |"


def _short(name: str) -> str:
    for prefix in ("admin:", "wallet_gateway:", "wallet_gateway_"):
        name = name.removeprefix(prefix)
    return name


def _who(address: Address) -> str:
    if address.get == address.post:
        return str(address.get)
    methods = {"GET": address.get, "POST": address.post}
    return "; ".join(f"{method}: {access}" for method, access in methods.items() if access != NOBODY)
