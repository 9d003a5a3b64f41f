"""The door of the control interface: calls under ``/_sandbox/`` for tests and scripts.

Who may knock is settled in ``access``. Every function reads its input, makes one call, and gives what came of
it; ``control_call`` turns that, or the reason why it cannot be done, into JSON.
"""

from __future__ import annotations

from io import BytesIO
from typing import Any

from django.http import HttpRequest

from wallet_gateway.protocol.accounts import CardNetwork
from wallet_gateway.protocol.follow_ups import FollowUpType
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import quote
from wallet_gateway.sandbox import engine, faults, journal, merchants, provision, state
from wallet_gateway.sandbox.control_input import Input, write_seconds
from wallet_gateway.sandbox.delayed_requests import carry_out_due
from wallet_gateway.sandbox.engine.card_payload import CRYPTOGRAM_3DS, PAN_ONLY
from wallet_gateway.sandbox.engine.lookup import (
    Whose,
    find_authentication,
    find_checkout,
    find_payment,
    find_pending,
)
from wallet_gateway.sandbox.engine.refusals import UnknownMerchant
from wallet_gateway.sandbox.engine.settlement import SETTLING
from wallet_gateway.sandbox.models import (
    AuthenticationOutcome,
    DuplicatePolicy,
    JournalEntry,
    LetterCase,
    Merchant,
    Outcome,
    WalletMode,
)
from wallet_gateway.sandbox.operations import Operation
from wallet_gateway.sandbox.views.control_calls import calls, with_input
from wallet_gateway.sandbox.wallet_approval import approve
from wallet_gateway.sandbox.wallet_cards import card_of


def reset(given: Input) -> object:
    """Put everything back to how it was at the start."""
    given.check_nothing_else()
    provision.reset()
    return {}


def add_merchant(given: Input) -> object:
    """Enter a merchant, or bring one up to date."""
    return merchants.describe(merchants.add_merchant(given))


def complete_checkout(given: Input) -> object:
    """Decide a checkout in its customer's place."""
    outcome = given.choice("outcome", Outcome)
    checkout = find_checkout(_whose(given))
    return {"location": engine.decide_checkout(checkout, outcome, by_hand=False)}


def complete_authentication(given: Input) -> object:
    """Leave a 3-D Secure page in its customer's place."""
    outcome = given.choice("outcome", AuthenticationOutcome)
    authentication = find_authentication(_whose(given))
    return {"location": engine.decide_authentication(authentication, outcome, by_hand=False)}


def make_payment_data(given: Input) -> object:
    """Approve in the wallet in its customer's place."""
    merchant_id = given.text("merchantId")
    auth_method = given.choice("authMethod", (PAN_ONLY, CRYPTOGRAM_3DS))
    network = CardNetwork(given.choice("cardNetwork", CardNetwork))
    request = given.object("request")
    given.check_nothing_else()
    return approve(card_of(network, auth_method), request, merchant_id=merchant_id)


def change_wallet(given: Input) -> object:
    """Change how the emulated wallet behaves in the browser; nothing given changes nothing."""
    mode = given.optional_choice("mode", WalletMode)
    given.check_nothing_else()
    if mode is not None:
        state.change_wallet_mode(WalletMode(mode))
    return {"mode": state.wallet_mode()}


def settle_pending(given: Input) -> object:
    """Decide a pending transaction in the provider's place."""
    outcome = Outcome(given.choice("outcome", SETTLING))
    record = find_pending(_whose(given))
    engine.settle_pending(record, outcome)
    return engine.status_record(record)


def make_portal_follow_up(given: Input) -> object:
    """Make a follow-up as in the provider's portal."""
    follow_up = FollowUpType(given.choice("type", FollowUpType))
    amount = given.text_or_number("amount")
    original = find_payment(_whose(given))
    money = Money.parse(amount, original.currency)
    return engine.status_record(engine.make_portal_follow_up(original, follow_up, money))


def advance_clock(given: Input) -> object:
    """Move the sandbox's clock, and have done what that makes due."""
    by = given.seconds("advanceSeconds")
    given.check_nothing_else()
    now = state.advance_clock(by)
    carry_out_due()
    return {"now": now.isoformat()}


def change_behaviour(given: Input) -> object:
    """Change how the gateway behaves where the interface is silent."""
    changes = {
        "duplicates": given.optional_choice("duplicates", DuplicatePolicy),
        "status_lag": given.optional_seconds("statusLagSeconds"),
        "letter_case": given.optional_choice("letterCase", LetterCase),
        "numeric_amounts": given.flag("numericAmounts"),
        "share_references": given.flag("shareReferences"),
        "another_card": given.flag("anotherCard"),
    }
    given.check_nothing_else()
    behaviour = state.change_behaviour({name: value for name, value in changes.items() if value is not None})
    return {
        "duplicates": behaviour.duplicates,
        "statusLagSeconds": write_seconds(behaviour.status_lag),
        "letterCase": behaviour.letter_case,
        "numericAmounts": behaviour.numeric_amounts,
        "shareReferences": behaviour.share_references,
        "anotherCard": behaviour.another_card,
    }


def set_fault(given: Input) -> object:
    """Set a fault and give all that are set."""
    times = given.whole("times", lowest=0)
    operation = given.choice("operation", [*Operation, faults.ANY])
    fault = faults.FaultKind(given.choice("fault", faults.FaultKind))
    details = {
        # Nought is no number of times: it stands for every request until the faults are cleared.
        "times": 1 if times is None else times or None,
        "skip": given.whole("skip", lowest=0) or 0,
        "delay": given.optional_seconds("seconds"),
        "status": given.whole("status", lowest=200, highest=599),
        "code": given.optional_text("code", longest=32) or "",
        "message": given.optional_text("message", longest=500) or "",
    }
    given.check_nothing_else()
    faults.set_fault(operation, fault, **details)
    return _faults_set()


def clear_faults(given: Input) -> object:
    """Take back every fault that waits."""
    given.check_nothing_else()
    faults.clear_faults()
    return _faults_set()


def list_faults(given: Input) -> object:
    """Give the faults that wait."""
    given.check_nothing_else()
    return _faults_set()


def read_journal(given: Input) -> object:
    """Give the requests received, oldest first."""
    given.check_nothing_else()
    return [journal.describe(entry) for entry in JournalEntry.objects.order_by("pk")]


def import_migration_file(request: HttpRequest) -> object:
    """Take in a migration file."""
    merchant_id = request.GET.get("merchantId", merchants.BUILT_IN_ID)
    if not Merchant.objects.filter(merchant_id=merchant_id).exists():
        raise UnknownMerchant(f"There is no merchant {quote(merchant_id)}.")
    # Bytes: `str.splitlines` would cut at more than line ends, and one bad byte would hide the good rows.
    lines = BytesIO(request.body)
    keep_good = request.GET.get("keepGood") == "1"
    report = engine.import_migration_file(lines, merchant_id=merchant_id, keep_good=keep_good)
    rejected = [{"line": row.line, "reason": row.reason} for row in report.rejected]
    return {"accepted": report.accepted, "rejected": rejected}


def _whose(given: Input) -> Whose:
    whose = Whose(
        reference=given.text("clientSystemTransactionId"),
        merchant_id=given.optional_text("merchantId"),
        store_id=given.optional_text("storeId"),
    )
    given.check_nothing_else()
    return whose


def _faults_set() -> list[dict[str, Any]]:
    return [faults.describe(fault) for fault in faults.faults_set()]


control_urls = [
    calls("reset", POST=with_input(reset)),
    calls("merchants", POST=with_input(add_merchant)),
    calls("checkouts/complete", POST=with_input(complete_checkout)),
    calls("three-d-secure/complete", POST=with_input(complete_authentication)),
    calls("wallet", POST=with_input(change_wallet), GET=with_input(change_wallet)),
    calls("wallet/payment-data", POST=with_input(make_payment_data)),
    calls("pending/settle", POST=with_input(settle_pending)),
    calls("portal", POST=with_input(make_portal_follow_up)),
    calls("migration-file", POST=import_migration_file),
    calls("clock", POST=with_input(advance_clock)),
    calls("behaviour", POST=with_input(change_behaviour)),
    calls("faults", POST=with_input(set_fault), GET=with_input(list_faults), DELETE=with_input(clear_faults)),
    calls("journal", GET=with_input(read_journal)),
]
"""The addresses of the control interface, relative to ``/_sandbox/``."""
