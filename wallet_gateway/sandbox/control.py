"""The control interface under ``/_sandbox/``, for tests and scripts; the console's forms make the same calls.

Each call is a function with its address and fields, which are read and checked before it is called with
their values by name; it returns a JSON value. Who may call is decided in ``access``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from io import BytesIO
from typing import Any, Final, Literal, TypeAlias

from django.apps import apps
from django.core.management.color import no_style
from django.db import connection
from django.http import HttpRequest

from wallet_gateway.protocol import strict_json
from wallet_gateway.protocol.accounts import CardNetwork
from wallet_gateway.protocol.follow_ups import FollowUpType
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.strict_json import JsonValue, NumberText, fold_name
from wallet_gateway.protocol.text import quote
from wallet_gateway.sandbox import faults, journal, merchants, records, state
from wallet_gateway.sandbox.api import execute_due_requests, late_requests
from wallet_gateway.sandbox.authorizations import decide_authentication
from wallet_gateway.sandbox.checkouts import decide_checkout
from wallet_gateway.sandbox.faults import ANY_OPERATION
from wallet_gateway.sandbox.follow_ups import import_migration_file, make_portal_follow_up
from wallet_gateway.sandbox.json_calls import Call, Input, InvalidInput, call_path, with_json, write_seconds
from wallet_gateway.sandbox.models import (
    AMOUNT_AS_REQUESTED,
    NO_AMOUNT,
    AuthenticationOutcome,
    BillingAddressRule,
    DuplicatePolicy,
    FaultKind,
    JournalEntry,
    LetterCase,
    Merchant,
    Outcome,
    PlaceholderId,
    PortalReference,
    RecordState,
    WalletMode,
)
from wallet_gateway.sandbox.records import SETTLING_OUTCOMES, ReferenceQuery, status_record
from wallet_gateway.sandbox.refusals import Refusal
from wallet_gateway.sandbox.requests import Operation
from wallet_gateway.sandbox.server import cancel_all_sleeps
from wallet_gateway.sandbox.state import write_lock
from wallet_gateway.sandbox.tokens import key_ring
from wallet_gateway.sandbox.wallet import CRYPTOGRAM_3DS, PAN_ONLY, approve, card_for

MAX_STATE_WORD_LENGTH: Final = 32
Values: TypeAlias = Mapping[str, Any]
"""The values of a call's fields, by name."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a call: how it is read from JSON, and how a form shows it."""

    name: str
    label: str
    read: Callable[[Input, str], Any]
    kind: Literal["text", "number", "boolean", "time", "json"] = "text"
    """What the text of a form stands for in JSON; a time is a text."""
    choices: Sequence[tuple[str, Any]] = ()
    """The values of a list in a form, with their labels."""
    default: str = ""

    def from_form(self, text: str) -> JsonValue:
        """Return the JSON value that the text of a form stands for; raises ``UnreadableBody``.

        A text that is no number or boolean stays as it is, so that reading refuses it by the field's name.
        """
        if self.kind == "number":
            return NumberText(text)
        if self.kind == "boolean" and text in {"true", "false"}:
            return text == "true"
        return strict_json.loads(text) if self.kind == "json" else text


@dataclass(frozen=True, slots=True)
class ControlCall:
    """One call: its address below ``/_sandbox/``, its fields, and what it does."""

    name: str
    method: str
    path: str
    summary: str
    execute: Callable[[Values], object]
    fields: tuple[Field, ...]
    button: str
    """The label of the button of its form; empty for a call that the console does not make."""

    def run(self, given: Input) -> object:
        """Read the fields and execute the call; raises ``InvalidInput`` or a ``Refusal``."""
        values = {field.name: field.read(given, field.name) for field in self.fields}
        given.check_no_unread_fields()
        return self.execute(values)

    def from_form(self, texts: Mapping[str, str]) -> Input:
        """Return the input that a form stands for; an empty field counts as absent.

        Raises ``UnreadableBody`` for a field of JSON that cannot be read.
        """
        fields = {field.name: field for field in self.fields}
        filled = {name: text.strip() for name, text in texts.items() if text.strip()}
        return Input(
            {name: fields[name].from_form(text) if name in fields else text for name, text in filled.items()}
        )


CONTROL_CALLS: Final[dict[str, ControlCall]] = {}
"""All calls that take a JSON object, by name; a migration file is CSV text."""
_Execute: TypeAlias = Callable[[Values], object]


def _call(
    method: str, path: str, summary: str, *fields: Field, button: str = ""
) -> Callable[[_Execute], _Execute]:
    """Make a function a call, which is named after it."""

    def register(execute: _Execute) -> _Execute:
        name = execute.__name__.replace("_", "-")
        CONTROL_CALLS[name] = ControlCall(name, method, path, summary, execute, fields, button)
        return execute

    return register


def _choice(
    name: str, label: str, choices: Iterable[tuple[str, Any]], *, required: bool = True, default: str = ""
) -> Field:
    """Return a field with a set of values, given with their labels."""
    choices = tuple(choices)
    read = partial(Input.choice if required else Input.optional_choice, words=[value for value, _ in choices])
    return Field(name, label, read, choices=choices, default=default or choices[0][0])


_setting = partial(_choice, required=False)


def _switch(name: str, label: str, *, off: str = "no", on: str = "yes") -> Field:
    return Field(name, label, Input.boolean, "boolean", (("false", off), ("true", on)))


def _same(words: Iterable[str]) -> list[tuple[str, str]]:
    """Return choices whose labels are their values."""
    return [(str(word), str(word)) for word in words]


# Clock


MAX_TIME: Final = datetime(2999, 1, 1, tzinfo=UTC)
"""The latest time of the sandbox's clock."""


@_call(
    "POST",
    "clock",
    "Moves the clock forward and executes what becomes due; nothing sleeps.",
    Field("advanceSeconds", "Seconds", Input.seconds, "number", default="900"),
    button="Advance the clock",
)
def advance_clock(given: Values) -> object:
    with write_lock():
        ahead = state.current_conditions().behaviour.clock_ahead
        if MAX_TIME - datetime.now(UTC) - ahead < given["advanceSeconds"]:
            raise InvalidInput(f"The sandbox's clock ends at {MAX_TIME.isoformat()}; move it by less.")
        now = state.change_behaviour({"clock_ahead": ahead + given["advanceSeconds"]}).now
    execute_due_requests()
    return {"now": now.isoformat()}


@_call(
    "PUT",
    "clock",
    "Sets the clock to a time that is not before the machine's.",
    Field("now", "Time (UTC)", Input.time, "time"),
    button="Set the clock",
)
def set_clock(given: Values) -> object:
    to: datetime = given["now"]
    ahead = to - datetime.now(UTC)
    if ahead < timedelta() or to > MAX_TIME:
        raise InvalidInput(
            f"The sandbox's clock runs from the machine's time to {MAX_TIME.isoformat()}; it cannot be set "
            f"to {to.isoformat()}."
        )
    now = state.change_behaviour({"clock_ahead": ahead}).now
    execute_due_requests()
    return {"now": now.isoformat()}


@_call(
    "DELETE",
    "clock",
    "Sets the clock back to the machine's. What was made meanwhile is reported once its time has come.",
    button="Back to the machine's time",
)
def reset_clock(_given: Values) -> object:
    return {"now": state.change_behaviour({"clock_ahead": timedelta()}).now.isoformat()}


# Faults and behaviour


@_call(
    "POST",
    "faults",
    "Sets a fault for the next requests of an operation, * for any.",
    _choice("operation", "Operation", _same([ANY_OPERATION, *Operation])),
    _choice("fault", "Fault", _same(FaultKind), default=FaultKind.DROP_AFTER),
    Field(
        "times", "How many times (0: until cleared)", partial(Input.integer, minimum=0), "number", default="1"
    ),
    Field("skip", "Requests to let pass first", partial(Input.integer, minimum=0), "number"),
    Field("seconds", "Seconds", Input.optional_seconds, "number"),
    Field("status", "HTTP status", partial(Input.integer, minimum=200, maximum=599), "number"),
    Field("code", "Error code", partial(Input.optional_text, max_length=32)),
    Field("message", "Message", partial(Input.optional_text, max_length=500)),
    button="Set this fault",
)
def set_fault(given: Values) -> object:
    faults.set_fault(
        given["operation"],
        FaultKind(given["fault"]),
        # Zero means that the fault hits every request until it is cleared.
        times=1 if given["times"] is None else given["times"] or None,
        skip=given["skip"] or 0,
        delay=given["seconds"],
        status=given["status"],
        code=given["code"] or "",
        message=given["message"] or "",
    )
    return list_faults(given)


@_call("DELETE", "faults", "Removes all faults.", button="Clear faults")
def clear_faults(given: Values) -> object:
    faults.clear_faults()
    return list_faults(given)


@_call("GET", "faults", "Lists the faults that are set.")
def list_faults(_given: Values) -> object:
    return [faults.describe(fault) for fault in faults.list_faults()]


def _attribute(name: str) -> str:
    """Return what a field changes of ``SandboxState``: ``status_lag`` for ``statusLagSeconds``."""
    return re.sub(r"(?=[A-Z])", "_", name).lower().removesuffix("_seconds")


def _read_state_words(given: Input, name: str) -> dict[str, str] | None:
    """Read the words for states; two states must not have the same one, in any letter case."""
    words = given.text_map(name, max_length=MAX_STATE_WORD_LENGTH)
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


@_call(
    "POST",
    "behaviour",
    "Changes what a real gateway might do where the interface is silent.",
    _setting("duplicates", "Repeated requests", DuplicatePolicy.choices),
    Field("statusLagSeconds", "Status query lags by (seconds)", Input.optional_seconds, "number"),
    _setting("letterCase", "Names in answers", LetterCase.choices),
    _switch("numericAmounts", "Amounts in answers", off="as documented", on="numbers"),
    _switch("shareReferences", "Follow-ups may share a reference"),
    _switch("anotherCard", "Another card after a refused one"),
    _setting("billingAddress", "The billing address of a checkout", BillingAddressRule.choices),
    Field(
        "erroredAmount",
        "Amount of errored records: requested, null or an amount",
        partial(Input.amount_or_word, words=(AMOUNT_AS_REQUESTED, NO_AMOUNT), null=NO_AMOUNT),
    ),
    _setting("placeholderIds", "Ids of records that are not approved", PlaceholderId.choices),
    Field("stateWords", "Words for states (JSON)", _read_state_words, "json"),
    _setting("portalReferences", "References of the portal", PortalReference.choices),
    _switch("newestFirst", "Newest record first"),
    button="Answer so",
)
def behaviour(given: Values) -> object:
    state.change_behaviour({_attribute(name): value for name, value in given.items() if value is not None})
    return behaviour_in_force()


def behaviour_in_force() -> dict[str, Any]:
    """Return the behaviour in the JSON form of the control interface."""
    in_force = state.current_conditions().behaviour
    names = [field.name for field in CONTROL_CALLS["behaviour"].fields]
    values = {name: getattr(in_force, _attribute(name)) for name in names}
    return values | {"statusLagSeconds": write_seconds(in_force.status_lag)}


# The emulated wallet


@_call("GET", "wallet", "Returns how the emulated wallet behaves.")
def wallet_mode(_given: Values) -> object:
    return {"mode": state.wallet_mode()}


@_call(
    "POST",
    "wallet",
    "Changes how the emulated wallet behaves in browsers.",
    _setting("mode", "The wallet is", WalletMode.choices),
    button="Change the wallet",
)
def wallet(given: Values) -> object:
    if given["mode"] is not None:
        state.change_behaviour({"wallet_mode": given["mode"]})
    return wallet_mode(given)


@_call(
    "POST",
    "wallet/payment-data",
    "Approves a payment in the wallet as its customer would.",
    Field("merchantId", "Merchant", Input.text),
    _choice("authMethod", "Kind of card", _same((PAN_ONLY, CRYPTOGRAM_3DS))),
    _choice("cardNetwork", "Network", _same(CardNetwork)),
    Field("request", "Request of the page (JSON)", Input.object, "json"),
)
def payment_data(given: Values) -> object:
    card = card_for(CardNetwork(given["cardNetwork"]), given["authMethod"])
    return approve(card, given["request"], merchant_id=given["merchantId"])


# One payment

_PAYMENT: Final = (
    Field("clientSystemTransactionId", "Reference", Input.text),
    Field("merchantId", "Merchant", Input.optional_text),
    Field("storeId", "Store", Input.optional_text),
)


def _reference(given: Values) -> ReferenceQuery:
    return ReferenceQuery(
        reference=given["clientSystemTransactionId"],
        merchant_id=given["merchantId"],
        store_id=given["storeId"],
    )


@_call(
    "POST",
    "checkouts/complete",
    "Decides a checkout as its customer would.",
    *_PAYMENT,
    _choice("outcome", "Outcome", Outcome.choices),
)
def complete_checkout(given: Values) -> object:
    checkout = records.find_checkout(_reference(given))
    return {"location": decide_checkout(checkout, given["outcome"], by_hand=False)}


@_call(
    "POST",
    "three-d-secure/complete",
    "Leaves the 3-D Secure page as its customer would.",
    *_PAYMENT,
    _choice("outcome", "Outcome", AuthenticationOutcome.choices),
    button="Leave the page",
)
def three_d_secure(given: Values) -> object:
    authentication = records.find_authentication(_reference(given))
    return {"location": decide_authentication(authentication, given["outcome"], by_hand=False)}


@_call(
    "POST",
    "pending/settle",
    "Settles a pending transaction as the provider would. The shop learns it from its next status query.",
    *_PAYMENT,
    _choice("outcome", "Outcome", [(one.value, one.label) for one in SETTLING_OUTCOMES]),
    button="Settle it",
)
def settle(given: Values) -> object:
    record = records.find_pending(_reference(given))
    records.settle_pending(record, Outcome(given["outcome"]))
    return status_record(record)


@_call(
    "POST",
    "portal",
    "Makes a follow-up as in the provider's portal. The shop learns it from its next status query.",
    *_PAYMENT,
    _choice("type", "Type", _same(FollowUpType)),
    Field("amount", "Amount", Input.text_or_number),
    button="Make it in the portal",
)
def portal(given: Values) -> object:
    original = records.find_payment(_reference(given))
    money = Money.parse(given["amount"], original.currency)
    return status_record(make_portal_follow_up(original, FollowUpType(given["type"]), money))


# The sandbox as a whole


@_call(
    "POST",
    "merchants",
    "Creates or changes a store of a merchant.",
    Field("merchantId", "Merchant", Input.text),
    Field("storeId", "Store", Input.text),
    Field("userId", "User", Input.text),
    Field("provider", "Provider", Input.optional_text),
    Field("origins", "Origins (JSON list)", Input.text_list, "json"),
    Field("displayName", "Name on pages", Input.optional_text),
    button="Add the merchant",
)
def add_merchant(given: Values) -> object:
    return merchants.describe(merchants.add_merchant(Input(given)))


@_call("GET", "journal", "Lists the requests received, oldest first.")
def read_journal(_given: Values) -> object:
    return [journal.describe(entry) for entry in JournalEntry.objects.order_by("pk")]


@_call(
    "POST",
    "reset",
    "Everything as at the start: checkouts, transactions, requests, faults and added merchants go, and "
    "the clock is set back. This cannot be undone.",
    button="Reset everything now",
)
def reset(_given: Values) -> object:
    cancel_all_sleeps()
    with write_lock():
        late_requests.clear()
        models = apps.get_app_config("wallet_sandbox").get_models()
        tables = [model._meta.db_table for model in models if model is not Merchant]
        connection.ops.execute_sql_flush(connection.ops.sql_flush(no_style(), tables))
        # Keep the rows of initial merchants: a request in progress may refer to one.
        kept = merchants.provision()
        Merchant.objects.exclude(pk__in=[merchant.pk for merchant in kept]).delete()
    key_ring.clear()
    return {}


def migration_file(request: HttpRequest) -> object:
    """Import a migration file."""
    merchant_id = request.GET.get("merchantId", merchants.BUILT_IN_ID)
    if not Merchant.objects.filter(merchant_id=merchant_id).exists():
        raise Refusal("UnknownMerchant", f"There is no merchant {quote(merchant_id)}.")
    # Read bytes: `str.splitlines` splits at more than line ends, and one invalid byte would reject all rows.
    lines, keep_good = BytesIO(request.body), request.GET.get("keepGood") == "1"
    accepted, rejected = import_migration_file(lines, merchant_id=merchant_id, keep_good=keep_good)
    return {"accepted": accepted, "rejected": [{"line": row.line, "reason": row.reason} for row in rejected]}


_by_path: dict[str, dict[str, Call]] = defaultdict(dict, {"migration-file": {"POST": migration_file}})
for _one in CONTROL_CALLS.values():
    _by_path[_one.path][_one.method] = with_json(_one.run)

control_urls = [call_path(path, **by_method) for path, by_method in _by_path.items()]
"""URL patterns of the control interface, relative to ``/_sandbox/``."""
