"""The calls of the control interface under ``/_sandbox/``, for tests and scripts.

Access is decided in ``access``. Each function reads its input, calls one function of another package and
returns a JSON value; ``json_calls`` turns that value, or an error, into a response.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from io import BytesIO
from typing import Any, Final

from django.http import HttpRequest

from wallet_gateway.protocol.accounts import CardNetwork
from wallet_gateway.protocol.follow_ups import FollowUpType
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.strict_json import fold_name
from wallet_gateway.protocol.text import quote
from wallet_gateway.sandbox import merchants, state
from wallet_gateway.sandbox.api import faults, journal
from wallet_gateway.sandbox.api.delayed_requests import execute_due_requests
from wallet_gateway.sandbox.api.request_parser import Operation
from wallet_gateway.sandbox.control import provision
from wallet_gateway.sandbox.json_calls import Input, InvalidInput, call_path, with_json, write_seconds
from wallet_gateway.sandbox.models import (
    AMOUNT_AS_REQUESTED,
    NO_AMOUNT,
    AuthenticationOutcome,
    BillingAddressRule,
    DuplicatePolicy,
    JournalEntry,
    LetterCase,
    Merchant,
    Outcome,
    PlaceholderId,
    PortalReference,
    RecordState,
    WalletMode,
)
from wallet_gateway.sandbox.payments import checkouts, detached_refunds, follow_ups, records
from wallet_gateway.sandbox.payments.records import (
    SETTLING_OUTCOMES,
    ReferenceQuery,
    find_authentication,
    find_checkout,
    find_payment,
    find_pending,
)
from wallet_gateway.sandbox.payments.status import status_record
from wallet_gateway.sandbox.refusals import Refusal
from wallet_gateway.sandbox.wallet.accounts import CRYPTOGRAM_3DS, PAN_ONLY, card_for
from wallet_gateway.sandbox.wallet.payment_data import approve
from wallet_gateway.sandbox.wallet.three_d_secure import decide_authentication

MAX_STATE_WORD_LENGTH: Final = 32


def reset(given: Input) -> object:
    """Reset the sandbox to its initial state."""
    given.check_no_unread_fields()
    provision.reset()
    return {}


def add_merchant(given: Input) -> object:
    """Create or update a merchant."""
    return merchants.describe(merchants.add_merchant(given))


def complete_checkout(given: Input) -> object:
    """Complete a checkout as its customer would."""
    outcome = given.choice("outcome", Outcome)
    checkout = find_checkout(_reference_query(given))
    return {"location": checkouts.decide_checkout(checkout, outcome, by_hand=False)}


def complete_authentication(given: Input) -> object:
    """Complete a 3-D Secure page as its customer would."""
    outcome = given.choice("outcome", AuthenticationOutcome)
    authentication = find_authentication(_reference_query(given))
    return {"location": decide_authentication(authentication, outcome, by_hand=False)}


def make_payment_data(given: Input) -> object:
    """Approve a payment in the wallet as its customer would."""
    merchant_id = given.text("merchantId")
    auth_method = given.choice("authMethod", (PAN_ONLY, CRYPTOGRAM_3DS))
    network = CardNetwork(given.choice("cardNetwork", CardNetwork))
    request = given.object("request")
    given.check_no_unread_fields()
    return approve(card_for(network, auth_method), request, merchant_id=merchant_id)


def change_wallet(given: Input) -> object:
    """Read or change how the emulated wallet behaves in the browser."""
    mode = given.optional_choice("mode", WalletMode)
    given.check_no_unread_fields()
    if mode is not None:
        state.change_wallet_mode(WalletMode(mode))
    return {"mode": state.wallet_mode()}


def settle_pending(given: Input) -> object:
    """Settle a pending transaction as the provider would."""
    outcome = Outcome(given.choice("outcome", SETTLING_OUTCOMES))
    record = find_pending(_reference_query(given))
    records.settle_pending(record, outcome)
    return status_record(record)


def make_portal_follow_up(given: Input) -> object:
    """Create a follow-up as an operator would in the provider's portal."""
    follow_up = FollowUpType(given.choice("type", FollowUpType))
    amount = given.text_or_number("amount")
    original = find_payment(_reference_query(given))
    money = Money.parse(amount, original.currency)
    return status_record(follow_ups.make_portal_follow_up(original, follow_up, money))


def advance_clock(given: Input) -> object:
    """Advance the sandbox's clock and execute what becomes due."""
    by = given.seconds("advanceSeconds")
    given.check_no_unread_fields()
    return _move_clock(lambda: state.advance_clock(by))


def set_clock(given: Input) -> object:
    """Set the sandbox's clock to a time and execute what is due by then."""
    to = given.time("now")
    given.check_no_unread_fields()
    return _move_clock(lambda: state.set_clock(to))


def _move_clock(move: Callable[[], datetime]) -> object:
    """Move the clock with a function that returns the new time, and execute what is due by then."""
    try:
        now = move()
    except state.ClockLimitReached as error:
        raise InvalidInput(str(error)) from error
    execute_due_requests()
    return {"now": now.isoformat()}


def reset_clock(given: Input) -> object:
    """Set the sandbox's clock back to the machine's."""
    given.check_no_unread_fields()
    return {"now": state.reset_clock().isoformat()}


def change_behaviour(given: Input) -> object:
    """Change the gateway's behaviour where the interface leaves it open."""
    changes = {
        "duplicates": given.optional_choice("duplicates", DuplicatePolicy),
        "status_lag": given.optional_seconds("statusLagSeconds"),
        "letter_case": given.optional_choice("letterCase", LetterCase),
        "numeric_amounts": given.boolean("numericAmounts"),
        "share_references": given.boolean("shareReferences"),
        "another_card": given.boolean("anotherCard"),
        "billing_address": given.optional_choice("billingAddress", BillingAddressRule),
        "errored_amount": given.amount_or_word(
            "erroredAmount", words=(AMOUNT_AS_REQUESTED, NO_AMOUNT), null=NO_AMOUNT
        ),
        "placeholder_ids": given.optional_choice("placeholderIds", PlaceholderId),
        "state_words": _state_words(given),
        "portal_references": given.optional_choice("portalReferences", PortalReference),
        "newest_first": given.boolean("newestFirst"),
    }
    given.check_no_unread_fields()
    behaviour = state.change_behaviour({name: value for name, value in changes.items() if value is not None})
    return {
        "duplicates": behaviour.duplicates,
        "statusLagSeconds": write_seconds(behaviour.status_lag),
        "letterCase": behaviour.letter_case,
        "numericAmounts": behaviour.numeric_amounts,
        "shareReferences": behaviour.share_references,
        "anotherCard": behaviour.another_card,
        "billingAddress": behaviour.billing_address,
        "erroredAmount": behaviour.errored_amount,
        "placeholderIds": behaviour.placeholder_ids,
        "stateWords": behaviour.state_words,
        "portalReferences": behaviour.portal_references,
        "newestFirst": behaviour.newest_first,
    }


def _state_words(given: Input) -> dict[str, str] | None:
    """Read the words for states; two states must not have the same one, in any letter case."""
    words = given.text_map("stateWords", max_length=MAX_STATE_WORD_LENGTH)
    if words is None:
        return None
    states = {fold_name(state): state.value for state in RecordState}
    if unknown := [name for name in words if fold_name(name) not in states]:
        listed = ", ".join(states.values())
        raise InvalidInput(f"stateWords has {quote(unknown[0])}; the documented states are {listed}.")
    chosen = {states[fold_name(name)]: word for name, word in words.items()}
    meanings: dict[str, str] = {}
    for documented in states.values():
        word = chosen.get(documented, documented)
        other = meanings.setdefault(word.casefold().strip(), documented)
        if other != documented:
            raise InvalidInput(f"stateWords would say {quote(word)} for both {other} and {documented}.")
    return chosen


def set_fault(given: Input) -> object:
    """Set a fault and return all faults."""
    times = given.integer("times", minimum=0)
    operation = given.choice("operation", [*Operation, faults.ANY_OPERATION])
    fault = faults.FaultKind(given.choice("fault", faults.FaultKind))
    details = {
        # Zero means that the fault hits every request until it is cleared.
        "times": 1 if times is None else times or None,
        "skip": given.integer("skip", minimum=0) or 0,
        "delay": given.optional_seconds("seconds"),
        "status": given.integer("status", minimum=200, maximum=599),
        "code": given.optional_text("code", max_length=32) or "",
        "message": given.optional_text("message", max_length=500) or "",
    }
    given.check_no_unread_fields()
    faults.set_fault(operation, fault, **details)
    return _describe_faults()


def clear_faults(given: Input) -> object:
    """Remove all faults."""
    given.check_no_unread_fields()
    faults.clear_faults()
    return _describe_faults()


def list_faults(given: Input) -> object:
    """Return all faults."""
    given.check_no_unread_fields()
    return _describe_faults()


def read_journal(given: Input) -> object:
    """Return the journal, oldest entry first."""
    given.check_no_unread_fields()
    return [journal.describe(entry) for entry in JournalEntry.objects.order_by("pk")]


def import_migration_file(request: HttpRequest) -> object:
    """Import a migration file."""
    merchant_id = request.GET.get("merchantId", merchants.BUILT_IN_ID)
    if not Merchant.objects.filter(merchant_id=merchant_id).exists():
        raise Refusal("UnknownMerchant", f"There is no merchant {quote(merchant_id)}.")
    # Read bytes: `str.splitlines` splits at more than line ends, and one invalid byte would reject all rows.
    lines = BytesIO(request.body)
    keep_good = request.GET.get("keepGood") == "1"
    report = detached_refunds.import_migration_file(lines, merchant_id=merchant_id, keep_good=keep_good)
    rejected = [{"line": row.line, "reason": row.reason} for row in report.rejected]
    return {"accepted": report.accepted, "rejected": rejected}


def _reference_query(given: Input) -> ReferenceQuery:
    query = ReferenceQuery(
        reference=given.text("clientSystemTransactionId"),
        merchant_id=given.optional_text("merchantId"),
        store_id=given.optional_text("storeId"),
    )
    given.check_no_unread_fields()
    return query


def _describe_faults() -> list[dict[str, Any]]:
    return [faults.describe(fault) for fault in faults.list_faults()]


control_urls = [
    call_path("reset", POST=with_json(reset)),
    call_path("merchants", POST=with_json(add_merchant)),
    call_path("checkouts/complete", POST=with_json(complete_checkout)),
    call_path("three-d-secure/complete", POST=with_json(complete_authentication)),
    call_path("wallet", POST=with_json(change_wallet), GET=with_json(change_wallet)),
    call_path("wallet/payment-data", POST=with_json(make_payment_data)),
    call_path("pending/settle", POST=with_json(settle_pending)),
    call_path("portal", POST=with_json(make_portal_follow_up)),
    call_path("migration-file", POST=import_migration_file),
    call_path(
        "clock", POST=with_json(advance_clock), PUT=with_json(set_clock), DELETE=with_json(reset_clock)
    ),
    call_path("behaviour", POST=with_json(change_behaviour)),
    call_path(
        "faults", POST=with_json(set_fault), GET=with_json(list_faults), DELETE=with_json(clear_faults)
    ),
    call_path("journal", GET=with_json(read_journal)),
]
"""URL patterns of the control interface, relative to ``/_sandbox/``."""
