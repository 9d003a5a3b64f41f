"""One reference, one request: what a repetition is answered, and when references may be shared."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.sandbox.merchant import Answer, Merchant, new_reference
from wallet_gateway.testing.control import SandboxControl

Send = Callable[..., Answer]
KINDS = ("checkout", "capture", "refund", "reversal", "detached refund")


@pytest.fixture(params=KINDS)
def send(request: pytest.FixtureRequest, merchant: Merchant, reserved: str, sale: str, deposit: str) -> Send:
    """Sends one kind of request for a small amount, under the reference and with the changes given."""
    kinds: dict[str, Send] = {
        "checkout": lambda reference, **changes: merchant.checkout(reference, **changes),
        "capture": lambda reference, **changes: merchant.capture(reference, reserved, "1.00", **changes),
        "refund": lambda reference, **changes: merchant.refund(reference, sale, "1.00", **changes),
        "reversal": lambda reference, **changes: merchant.reverse(reference, reserved, **changes),
        "detached refund": lambda reference, **changes: merchant.detached(
            reference, deposit, "1.00", **changes
        ),
    }
    return kinds[str(request.param)]


def test_the_same_request_is_refused_by_default(send: Send, merchant: Merchant) -> None:
    reference = new_reference()
    assert send(reference).status == 200
    before = merchant.records(reference)
    again = send(reference)
    assert (again.status, again.message.partition(":")[0]) == (409, "ReferenceAlreadyUsed")
    assert merchant.records(reference) == before


def test_the_same_request_is_answered_as_the_first_time_on_replay(
    send: Send, merchant: Merchant, control: SandboxControl
) -> None:
    control.behaviour(duplicates="replay")
    reference = new_reference()
    first = send(reference)
    before = merchant.records(reference)
    again = send(reference)
    assert (again.status, again.body) == (200, first.body)
    assert merchant.records(reference) == before


def test_the_same_request_is_carried_out_again_on_execute(
    merchant: Merchant, control: SandboxControl, sale: str
) -> None:
    control.behaviour(duplicates="execute")
    reference = new_reference()
    ids = {merchant.refund(reference, sale, "1.00").json["id"] for _ in range(3)}
    assert len(ids) == 3
    assert {record["id"] for record in merchant.records(reference)} == ids


def test_a_checkout_carried_out_again_has_two_links_that_can_both_be_paid(
    merchant: Merchant, control: SandboxControl
) -> None:
    control.behaviour(duplicates="execute")
    reference = new_reference()
    links = {merchant.checkout(reference).json["redirectUrl"] for _ in range(2)}
    assert len(links) == 2
    control.complete_checkout(reference, "success")
    control.complete_checkout(reference, "success")
    assert [record["state"] for record in merchant.records(reference)] == ["Approved", "Approved"]


@pytest.mark.parametrize("duplicates", ["reject", "replay", "execute"])
def test_another_request_under_the_same_reference_is_always_refused(
    send: Send, control: SandboxControl, duplicates: str
) -> None:
    control.behaviour(duplicates=duplicates)
    reference = new_reference()
    assert send(reference).status == 200
    assert send(reference, providerDiscretionaryData="another order").status == 409


def test_references_are_each_merchants_own(merchant: Merchant, control: SandboxControl) -> None:
    control.add_merchant(merchant_id="OTHER", store_id="S", user_id="u")
    reference = new_reference()
    assert merchant.checkout(reference).status == 200
    assert merchant.checkout(reference, merchantId="OTHER", storeId="S", userId="u").status == 200


class TestSharedReferences:
    """A follow-up may carry its original's reference where the behaviour says so."""

    @pytest.fixture(autouse=True)
    def _shared(self, control: SandboxControl) -> None:
        control.behaviour(share_references=True)
