"""The console's buttons: each does what the curl line beside it does, and no other site can press one."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.sandbox.console.pressing import Control, controls, press
from tests.sandbox.hosted.wire import checkout_body
from tests.sandbox.merchant import Merchant
from tests.sandbox.pages.soundness import assert_sound
from tests.sandbox.pages.visitor import Page, Visitor
from tests.sandbox.wallet_buyer import Buyer
from wallet_gateway.sandbox.console.control_calls import CONTROL_CALLS
from wallet_gateway.testing.sandbox import SandboxServer

pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
REFERENCE = "CONSOLE-1"
HOUR = 3600
RECORDED = r"ecom\.\w+|Approved|Pending|Errored|[0-9.]+ EUR"


def pay(visitor: Visitor, outcome: str, **changes: str) -> str:
    """Make the only payment, and give the path of its page."""
    body = checkout_body(amount="10.00") | {"clientSystemTransactionId": REFERENCE} | changes
    visitor.api("/api/v5/checkout", body)
    visitor.control.complete_checkout(REFERENCE, outcome)
    return page_of_the_payment(visitor)


def page_of_the_payment(visitor: Visitor) -> str:
    links = [str(link.attributes["href"]) for link in visitor.get("/transactions/").markup.all("a")]
    return next(link for link in links if re.fullmatch("/transactions/SBX-[0-9A-F]+/", link))


def leave_open(visitor: Visitor) -> None:
    """Make the only payment wait for its 3-D Secure page."""
    with Merchant(visitor.base_url) as merchant:
        Buyer(merchant, visitor.control).pending(REFERENCE)


def accounts(visitor: Visitor) -> str:
    leave_open(visitor)
    return "/accounts/"


def open_check(visitor: Visitor) -> str:
    leave_open(visitor)
    return page_of_the_payment(visitor)


PAGES: dict[str, Callable[[Visitor], str]] = {
    "controls": lambda _visitor: "/controls/",
    "pending": lambda visitor: pay(visitor, "pending"),
    "sale": lambda visitor: pay(visitor, "success"),
    "authorized": lambda visitor: pay(visitor, "success", type="ecom.preAuthorization"),
    "wallet": accounts,
    "check": open_check,
}
EXPECTED = {"controls": 50, "pending": 3, "sale": 2, "authorized": 3, "wallet": 3, "check": 6}
"""How many buttons each page has."""


def begin(visitor: Visitor, name: str) -> Page:
    """A sandbox with something to take back, and the page with the buttons."""
    visitor.control.reset()
    path = PAGES[name](visitor)
    if name == "controls":
        visitor.control.fault("status", "empty")
        visitor.control.advance_clock(HOUR)
    return visitor.get(path)


def run(line: str) -> None:
    """Run a curl line as the shell of a developer would."""
    command, *arguments = shlex.split(line)
    assert command == "curl"
    quiet = ["--silent", "--show-error", "--fail-with-body"]
    subprocess.run([command, *quiet, *arguments], check=True, capture_output=True, timeout=30)


def effects(visitor: Visitor) -> dict[str, Any]:
    """Everything that a call can change, without what differs from run to run."""
    control = visitor.control
    now = datetime.fromisoformat(control.advance_clock(0))
    return {
        "ahead": now - datetime.now(UTC),
        "faults": control._call("GET", "faults"),
        "behaviour": control.behaviour(),
        "wallet": control.wallet(),
        "records": re.findall(RECORDED, visitor.get("/transactions/").text),
        "open pages": visitor.get("/accounts/").html.count("/three-d-secure/"),
    }


def are_same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Compare effects; between two looks the machine's clock runs on."""
    return abs(one["ahead"] - other["ahead"]) < timedelta(seconds=30) and all(
        one[name] == other[name] for name in one if name != "ahead"
    )


def filled_in(control: Control) -> dict[str, str]:
    """The values of the fields that a developer has to fill in."""
    if control.label == "Make it in the portal":
        return {"amount": "4.00"}
    if control.label == "Answer so":
        return {"erroredAmount": "0", "stateWords.Errored": "Declined"}
    return {"now": "2100-01-31T09:30"} if control.call == "set-clock" else {}


@pytest.mark.parametrize("name", PAGES)
def test_a_click_does_what_the_line_beside_it_does(visitor: Visitor, name: str) -> None:
    page = begin(visitor, name)
    assert len(controls(page)) == EXPECTED[name]
    for number, _ in enumerate(controls(page)):
        clicked = controls(begin(visitor, name))[number]
        before = effects(visitor)
        values = filled_in(clicked)
        answer = press(visitor, clicked, **values)
        assert answer.status == 303, (str(clicked), answer.text)
        after = effects(visitor)
        page = begin(visitor, name)
        if values:
            page = visitor.get(f"{page.url}?{urlencode({'call': clicked.call, **clicked.fields, **values})}")
        line = controls(page)[number].curl
        run(line)
        assert are_same(effects(visitor), after), line
        assert not are_same(before, after) or clicked.is_in_force, f"{clicked} did nothing"


def test_every_call_has_a_button(visitor: Visitor) -> None:
    shown = {control.call for name in PAGES for control in controls(begin(visitor, name))}
    assert shown | {control.call for control in controls(visitor.get("/"))} == set(CONTROL_CALLS)


@pytest.mark.parametrize(
    ("call", "fields", "words"),
    [
        ("set-fault", {"operation": "capture", "fault": "partial"}, "means nothing to capture"),
        ("set-fault", {"operation": "capture", "fault": "late", "seconds": "soon"}, "seconds must be"),
        ("advance-clock", {"advanceSeconds": "-1"}, "advanceSeconds must be"),
        ("set-clock", {"now": "tomorrow"}, "now must be a time"),
        ("set-clock", {"now": "1999-01-01T00:00"}, "cannot be set to 1999"),
        ("set-clock", {}, "now is missing"),
        ("wallet", {"mode": "gone"}, "mode must be one of"),
        ("behaviour", {"numericAmounts": "perhaps"}, "numericAmounts must be true or false"),
        ("behaviour", {"erroredAmount": "free"}, "erroredAmount must be requested, null, or an amount"),
        ("behaviour", {"stateWords.Errored": "approved"}, "for both Approved and Errored"),
        ("behaviour", {"stateWords": "Settled"}, "stateWords must be an object of texts"),
        ("reset", {"hard": "true"}, "There is no 'hard' here"),
    ],
)
def test_what_a_call_refuses_is_said_and_not_done(
    visitor: Visitor, call: str, fields: dict[str, str], words: str
) -> None:
    before = effects(visitor)
    page = visitor.post(f"/controls/{call}/", fields)
    assert page.status == 400
    assert words in page.text
    assert page.markup.one("title").text.startswith("Error: This was not done")
    assert_sound(page)
    assert are_same(effects(visitor), before)


@pytest.mark.parametrize("call", CONTROL_CALLS)
def test_looking_never_changes_anything(visitor: Visitor, call: str) -> None:
    assert visitor.get(f"/controls/{call}/").status == 405


@pytest.mark.parametrize("shown_on", ["https://evil.example", "//evil.example", "console_press", "SBX-0"])
def test_a_click_leads_to_no_other_site(visitor: Visitor, shown_on: str) -> None:
    answer = visitor.post("/controls/wallet/", {"mode": "slow", "shown_on": shown_on})
    assert answer.headers["Location"] == "/controls/#wallet"


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1"])
@pytest.mark.parametrize("call", CONTROL_CALLS)
def test_another_sites_page_cannot_press_a_button(visitor: Visitor, call: str, origin: str) -> None:
    before = effects(visitor)
    assert visitor.post(f"/controls/{call}/", {"mode": "slow"}, Origin=origin).status == 403
    assert are_same(effects(visitor), before)


@pytest.fixture(scope="module")
def keyed() -> Iterator[SandboxServer]:
    """A sandbox whose console wants a key."""
    with SandboxServer(control_key="open-sesame") as server:
        yield server


def test_with_a_control_key_nothing_is_shown_or_done_without_it(keyed: SandboxServer) -> None:
    stranger, owner = Visitor(keyed.base_url), {"Authorization": "Bearer open-sesame"}
    assert stranger.get("/controls/").status == 401
    for call in CONTROL_CALLS:
        assert stranger.post(f"/controls/{call}/", {"mode": "slow"}).status == 401
    assert keyed.control.wallet() == "ready"
    assert stranger.post("/controls/wallet/", {"mode": "slow"}, **owner).status == 303
    assert keyed.control.wallet() == "slow"
