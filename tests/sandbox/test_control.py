"""The control interface: what each call does, what it refuses by name, and what a reset puts back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.sandbox.conftest import Pay
from tests.sandbox.merchant import SHOP, Merchant, new_reference
from tests.support.tables import every
from wallet_gateway.testing.control import SandboxControl, SandboxRefused

NO_TEXT: tuple[Any, ...] = ("", "  ", 1, True, [], {})
NO_FLAG: tuple[Any, ...] = ("yes", 1, [])
NO_SECONDS: tuple[Any, ...] = (-1, True, "60", [1], 10**9, 0.1234567)
NO_ORIGINS: tuple[Any, ...] = ("*", ["a", True], [None], {})
NAMED = {"clientSystemTransactionId": "ORDER-1"}
MERCHANT = {"merchantId": "M", "storeId": "S", "userId": "u"}
REFUND_FAULT: dict[str, Any] = {"operation": "refund", "fault": "delay_before"}
DEFAULTS = {
    "duplicates": "reject",
    "statusLagSeconds": 0,
    "letterCase": "canonical",
    "numericAmounts": False,
    "shareReferences": False,
    "anotherCard": False,
    "billingAddress": "optional",
    "erroredAmount": "requested",
    "placeholderIds": "off",
    "stateWords": {},
    "portalReferences": "original",
    "newestFirst": False,
}
NO_AMOUNT: tuple[Any, ...] = (
    "",
    "free",
    "1,00",
    "1e3",
    "007",
    ".5",
    "5.",
    "NaN",
    "1" * 15,
    "0.0000001",
    True,
    [0],
)
WRONG: list[tuple[str, object, str]] = [
    ("checkouts/complete", {"outcome": "success"}, "clientSystemTransactionId is missing"),
    ("checkouts/complete", NAMED, "outcome is missing"),
    *(("checkouts/complete", NAMED | {"outcome": one}, "outcome") for one in ("paid", *NO_TEXT)),
    *(
        ("checkouts/complete", {"outcome": "success", "clientSystemTransactionId": one}, "clientSystem")
        for one in NO_TEXT
    ),
    ("checkouts/complete", NAMED | {"outcome": "success", "outcom": 1}, "no 'outcom' here; this call knows"),
    ("pending/settle", NAMED | {"outcome": "cancelled"}, "outcome"),
    ("portal", NAMED | {"type": "ecom.sale", "amount": "1.00"}, "type"),
    ("portal", NAMED | {"type": "ecom.refund"}, "amount is missing"),
    ("clock", {}, "advanceSeconds is missing"),
    *(("clock", {"advanceSeconds": one}, "advanceSeconds") for one in NO_SECONDS),
    ("faults", {"operation": "refund"}, "fault is missing"),
    ("faults", {"operation": "void", "fault": "empty"}, "operation"),
    *(
        ("faults", {"operation": operation, "fault": fault}, fault)
        for operation, fault in (
            ("refund", "partial"),
            ("status", "errored"),
            ("public_key", "undocumented_state"),
            ("get_payment_account", "errored"),
            ("*", "explode"),
        )
    ),
    *(("faults", REFUND_FAULT | {"times": one}, "times") for one in (-1, 1.5, "5", True)),
    *(("faults", REFUND_FAULT | {"status": one}, "status") for one in (99, 600)),
    ("faults", REFUND_FAULT | {"skip": -1}, "skip"),
    ("faults", REFUND_FAULT | {"seconds": -1}, "seconds"),
    ("faults", REFUND_FAULT | {"code": " "}, "code"),
    ("faults", REFUND_FAULT | {"message": "x" * 501}, "message"),
    ("merchants", {"merchantId": "M", "storeId": "S"}, "userId is missing"),
    ("merchants", MERCHANT | {"merchantId": "M" * 65}, "merchantId"),
    *(("merchants", MERCHANT | {"origins": one}, "origins") for one in NO_ORIGINS),
    ("reset", {"hard": True}, "'hard'"),
    ("reset", [], "JSON object"),
    ("behaviour", {"duplicate": "reject"}, "'duplicate'"),
    ("behaviour", {"duplicates": "ignore"}, "duplicates"),
    ("behaviour", {"statusLagSeconds": -1}, "statusLagSeconds"),
    ("behaviour", {"letterCase": "SHOUTING"}, "letterCase"),
    *(
        ("behaviour", {name: one}, f"{name} must be true or false")
        for name in ("numericAmounts", "shareReferences", "anotherCard", "newestFirst")
        for one in NO_FLAG
    ),
    ("behaviour", {"billingAddress": "never"}, "billingAddress"),
    *(
        (
            "behaviour",
            {"erroredAmount": amount},
            "erroredAmount must be requested, null, or an amount such as",
        )
        for amount in NO_AMOUNT
    ),
    ("behaviour", {"placeholderIds": "0"}, "placeholderIds must be one of off, zeros, zero, empty"),
    ("behaviour", {"placeholderIds": True}, "placeholderIds"),
    ("behaviour", {"portalReferences": "theirs"}, "portalReferences must be one of original, own"),
    *(
        ("behaviour", {"stateWords": words}, reason)
        for words, reason in (
            ("Settled", "stateWords must be an object of texts"),
            (["Settled"], "stateWords must be an object of texts"),
            ({"Settled": "Approved"}, "the documented states are Approved, Pending, Errored"),
            ({"Approved": " "}, "stateWords.Approved must be a text that is not empty"),
            ({"Errored": None}, "stateWords.Errored must be a text that is not empty"),
            ({"Errored": 5}, "stateWords.Errored must be a text that is not empty"),
            ({"Pending": "x" * 33}, "stateWords.Pending has at most 32 characters"),
            ({"Approved": "errored"}, "for both Approved and Errored"),
            ({"Errored": "Done", "Pending": "DONE "}, "for both Pending and Errored"),
        )
    ),
]


@every(("name", "body", "words"), WRONG)
def test_what_a_call_cannot_mean_is_refused_by_name_and_changes_nothing(
    merchant: Merchant, control: SandboxControl, name: str, body: object, words: str
) -> None:
    answer = merchant.post(f"/_sandbox/{name}", body)
    assert answer.status == 400
    assert words in answer.message
    assert control.behaviour() == DEFAULTS
    assert merchant.send("GET", "/_sandbox/faults").json == []


def test_names_of_values_are_read_in_any_letter_case(control: SandboxControl) -> None:
    assert control.behaviour(duplicates="EXECUTE", letter_case="Pascal")["duplicates"] == "execute"


# The clock


def ahead(now: str) -> timedelta:
    return datetime.fromisoformat(now) - datetime.now(UTC)


@every("now", ["", "tomorrow", "1999-01-01", "3000-01-01", "0001-01-01T00:00+14:00", "9" * 99])
def test_the_clock_runs_with_the_machines_until_it_is_set_to_a_later_time(
    control: SandboxControl, now: str
) -> None:
    with pytest.raises(SandboxRefused, match="InvalidCall"):
        control.set_clock(now)
    assert abs(ahead(control.advance_clock(0))) < timedelta(seconds=30)


def test_the_clock_has_an_end(control: SandboxControl) -> None:
    control.set_clock("2998-12-31T00:00Z")
    with pytest.raises(SandboxRefused, match="2999"):
        control.advance_clock(999_999)
    assert ahead(control.advance_clock(0)).days > 365 * 900


# Merchants


def test_adding_a_merchant_again_changes_it_and_keeps_what_it_did(
    merchant: Merchant, control: SandboxControl
) -> None:
    ids = {"merchantId": "M", "storeId": "S"}
    control.add_merchant(merchant_id="M", store_id="S", user_id="old")
    merchant.checkout("ORDER-1", **ids, userId="old")
    control.add_merchant(merchant_id="M", store_id="S", user_id="new")
    assert merchant.checkout("ORDER-2", **ids, userId="old").status == 403
    assert control.complete_checkout("ORDER-1", "success") == f"{SHOP}?to=success"


# Reset


def test_a_reset_forgets_everything_but_the_built_in_merchant(
    merchant: Merchant, control: SandboxControl, pay: Pay, deposit: str
) -> None:
    sale = pay()
    control.add_merchant(merchant_id="M", store_id="S", user_id="u")
    control.fault("*", "throttled", times=0)
    changes: dict[str, Any] = {"duplicates": "execute", "letter_case": "pascal", "numeric_amounts": True}
    changes |= {"errored_amount": "0", "placeholder_ids": "empty", "state_words": {"Pending": "Queued"}}
    control.behaviour(**changes, portal_references="own", newest_first=True)
    control.wallet("no_card")
    control.reset()
    assert control.journal() == []
    assert merchant.send("GET", "/_sandbox/faults").json == []
    assert (control.behaviour(), control.wallet()) == (DEFAULTS, "ready")
    assert merchant.records(sale) == []
    assert merchant.detached(new_reference(), deposit).status == 404
    assert merchant.checkout(sale).status == 200
    for stranger in ({"merchantId": "M", "storeId": "S", "userId": "u"}, {"storeId": "ANOTHER"}):
        assert merchant.checkout(new_reference(), **stranger).status == 403
