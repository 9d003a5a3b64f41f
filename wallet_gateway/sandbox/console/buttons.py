"""The buttons that the console's pages offer, in groups: each is one control call with its fields.

Here: which buttons there are and what is in force. Not here: what a call does (``control``), and how a click
or a curl line is made of it (``control_calls``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from wallet_gateway.protocol.follow_ups import FollowUpType
from wallet_gateway.protocol.money import Money
from wallet_gateway.sandbox.api.faults import ANY_OPERATION, FaultKind
from wallet_gateway.sandbox.api.request_parser import Operation
from wallet_gateway.sandbox.json_calls import write_seconds
from wallet_gateway.sandbox.models import (
    AuthenticationOutcome,
    BillingAddressRule,
    DuplicatePolicy,
    LetterCase,
    Merchant,
    Outcome,
    PlaceholderId,
    PortalReference,
    RecordState,
    SandboxState,
    TransactionRecord,
    WalletMode,
)
from wallet_gateway.sandbox.payments.limits import amounts_left

Label = str | Promise


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """One button: its label, the call it makes, and whether what it sets is in force already."""

    label: Label
    call: str
    fields: Mapping[str, str]
    in_force: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ButtonGroup:
    """Buttons that set the same thing."""

    heading: Label
    buttons: tuple[Button, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField:
    """A field of a form whose values the developer chooses; with ``choices`` it is a list."""

    name: str
    label: Label
    value: str = ""
    kind: str = "text"
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CallForm:
    """A form that makes one call with the fields that the developer filled in."""

    call: str
    label: Label
    inputs: tuple[FormField, ...]
    hidden: Mapping[str, str]

    @property
    def fields(self) -> dict[str, str]:
        """The fields of the call as the form is filled in now."""
        return {**self.hidden, **{field.name: field.value for field in self.inputs}}


CLEAR_FAULTS: Final = Button(label=_("Clear faults"), call="clear-faults", fields={})
_STEPS: Final = (
    (_("Advance by 15 minutes"), timedelta(minutes=15)),
    (_("Advance by 1 day"), timedelta(days=1)),
    (_("Advance by 7 days"), timedelta(days=7)),
)
_QUICK_FAULTS: Final[tuple[tuple[Label, FaultKind, dict[str, str]], ...]] = (
    (_("Lose the next answer"), FaultKind.DROP_AFTER, {}),
    (_("Lose the next request"), FaultKind.DROP_BEFORE, {}),
    (_("Delay the next answer by 10 seconds"), FaultKind.DELAY_AFTER, {"seconds": "10"}),
    (_("Process the next request a minute late"), FaultKind.LATE, {"seconds": "60"}),
    (_("Answer the next request with HTTP 503"), FaultKind.STATUS_BEFORE, {"status": "503"}),
    (_("Process the next request, answer HTTP 500"), FaultKind.STATUS_AFTER, {"status": "500"}),
    (_("Refuse the next request as too many"), FaultKind.THROTTLED, {}),
    (_("Cut the next answer off"), FaultKind.TRUNCATED, {}),
)
_DECISION_FAULTS: Final[tuple[tuple[Label, FaultKind, dict[str, str]], ...]] = (
    (_("Let the next one fail at the provider"), FaultKind.ERRORED, {}),
    (_("Give the next one a state nobody knows"), FaultKind.UNDOCUMENTED_STATE, {}),
    (_("Approve the next detached refund in part"), FaultKind.PARTIAL, {}),
)
_OF_ONE_PAGE: Final = (
    (_("Authenticate the customer"), AuthenticationOutcome.SUCCESS),
    (_("Fail the check"), AuthenticationOutcome.FAILED),
    (_("Abandon the page"), AuthenticationOutcome.ABANDONED),
)
_SETTLEMENTS: Final = (
    (_("Let it succeed"), Outcome.SUCCESS),
    (_("Refuse it"), Outcome.REFUSED),
    (_("Let it fail"), Outcome.ERROR),
)


def clock_buttons() -> tuple[Button, ...]:
    """Return the buttons that move the clock."""
    forward = tuple(
        Button(label=label, call="advance-clock", fields={"advanceSeconds": write_seconds(step)})
        for label, step in _STEPS
    )
    return (*forward, Button(label=_("Back to the machine's time"), call="reset-clock", fields={}))


def clock_form(now: datetime, given: Mapping[str, str]) -> CallForm:
    """Return the form that sets the clock, with the values given in the page's address."""
    value = _given(given, "set-clock").get("now", f"{now:%Y-%m-%dT%H:%M}")
    field = FormField(name="now", label=_("Time (UTC)"), value=value, kind="datetime-local")
    return CallForm(call="set-clock", label=_("Set the clock"), inputs=(field,), hidden={})


def fault_groups() -> tuple[ButtonGroup, ...]:
    """Return the buttons that set the most wanted faults for one request of any operation."""
    return (
        ButtonGroup(heading=_("The network and the gateway"), buttons=_fault_buttons(_QUICK_FAULTS)),
        ButtonGroup(heading=_("The provider's decision"), buttons=_fault_buttons(_DECISION_FAULTS)),
    )


def fault_form(given: Mapping[str, str]) -> CallForm:
    """Return the form that sets any fault, with the values given in the page's address."""
    values = {"operation": ANY_OPERATION, "fault": FaultKind.DROP_AFTER, "times": "1"}
    values |= _given(given, "set-fault")
    fields = (
        ("operation", _("Operation"), "text", (ANY_OPERATION, *Operation)),
        ("fault", _("Fault"), "text", tuple(FaultKind)),
        ("times", _("How many times (0: until cleared)"), "number", ()),
        ("skip", _("Requests to let pass first"), "number", ()),
        ("seconds", _("Seconds"), "number", ()),
        ("status", _("HTTP status"), "number", ()),
        ("code", _("Error code"), "text", ()),
        ("message", _("Message"), "text", ()),
    )
    return CallForm(
        call="set-fault",
        label=_("Set this fault"),
        hidden={},
        inputs=tuple(
            FormField(name=name, label=label, kind=kind, choices=choices, value=values.get(name, ""))
            for name, label, kind, choices in fields
        ),
    )


def behaviour_groups(behaviour: SandboxState) -> tuple[ButtonGroup, ...]:
    """Return one group for each behaviour, with a button for each of its values."""
    lag = write_seconds(behaviour.status_lag)
    return (
        _choices(_("Repeated requests"), "duplicates", DuplicatePolicy.choices, behaviour.duplicates),
        _choices(_("Status query lags by"), "statusLagSeconds", [("0", "0 s"), ("30", "30 s")], lag),
        _choices(_("Names in answers"), "letterCase", LetterCase.choices, behaviour.letter_case),
        _choices(
            _("Amounts in answers"),
            "numericAmounts",
            [("false", _("as documented")), ("true", _("numbers"))],
            _boolean(behaviour.numeric_amounts),
        ),
        _switch(_("Follow-ups may share a reference"), "shareReferences", on=behaviour.share_references),
        _switch(_("Another card after a refused one"), "anotherCard", on=behaviour.another_card),
        _choices(
            _("The billing address of a checkout"),
            "billingAddress",
            BillingAddressRule.choices,
            behaviour.billing_address,
        ),
        _choices(
            _("Ids of records that are not approved"),
            "placeholderIds",
            PlaceholderId.choices,
            behaviour.placeholder_ids,
        ),
        _choices(
            _("References of the portal"),
            "portalReferences",
            PortalReference.choices,
            behaviour.portal_references,
        ),
        _switch(_("Newest record first"), "newestFirst", on=behaviour.newest_first),
    )


def behaviour_form(behaviour: SandboxState, given: Mapping[str, str]) -> CallForm:
    """Return the form for amounts of errored records and words of states, as they are in force or given."""
    in_force = {f"stateWords.{state}": word for state, word in behaviour.state_words.items()}
    values = {"erroredAmount": behaviour.errored_amount} | in_force | _given(given, "behaviour")
    amount_label = _("Amount of errored records: requested, null or an amount")
    fields = [("erroredAmount", amount_label)] + [
        (f"stateWords.{state}", format_lazy(_("Word for {state}"), state=state.value))
        for state in RecordState
    ]
    return CallForm(
        call="behaviour",
        label=_("Answer so"),
        hidden={},
        inputs=tuple(FormField(name=name, label=label, value=values.get(name, "")) for name, label in fields),
    )


def wallet_buttons(mode: WalletMode) -> tuple[Button, ...]:
    """Return a button for each mode of the emulated wallet."""
    return tuple(
        Button(label=label, call="wallet", fields={"mode": value}, in_force=value == mode)
        for value, label in WalletMode.choices
    )


def authentication_buttons(record: TransactionRecord) -> tuple[Button, ...]:
    """Return the buttons that leave the 3-D Secure page of a pending authorization."""
    return tuple(
        Button(label=label, call="three-d-secure", fields={**reference_fields(record), "outcome": outcome})
        for label, outcome in _OF_ONE_PAGE
    )


def settle_buttons(record: TransactionRecord) -> tuple[Button, ...]:
    """Return the buttons that settle a pending transaction."""
    return tuple(
        Button(label=label, call="settle", fields={**reference_fields(record), "outcome": outcome})
        for label, outcome in _SETTLEMENTS
    )


def portal_buttons(record: TransactionRecord) -> tuple[Button, ...]:
    """Return the follow-ups of a payment that its limits allow, each of all that is left."""
    return tuple(
        Button(
            label=format_lazy(_PORTAL_LABELS[follow_up], amount=f"{left.to_wire()} {left.currency}"),
            call="portal",
            fields={**reference_fields(record), "type": follow_up, "amount": left.to_wire()},
        )
        for follow_up, left in _portal_amounts(record)
    )


def portal_form(record: TransactionRecord, given: Mapping[str, str]) -> CallForm | None:
    """Return the form for a part of the amount; None where nothing can be captured or refunded."""
    amounts = dict(_portal_amounts(record))
    amounts.pop(FollowUpType.REVERSAL_PREAUTHORIZATION, None)
    if not amounts:
        return None
    first, left = next(iter(amounts.items()))
    values = {"type": first, "amount": left.to_wire()} | _given(given, "portal")
    fields = (
        FormField(name="type", label=_("Type"), choices=tuple(amounts), value=values["type"]),
        FormField(name="amount", label=_("Amount"), value=values["amount"]),
    )
    return CallForm(
        call="portal", label=_("Make it in the portal"), inputs=fields, hidden=reference_fields(record)
    )


def reference_fields(record: TransactionRecord) -> dict[str, str]:
    """Return the fields by which a control call finds a transaction."""
    merchant: Merchant = record.merchant
    return {
        "clientSystemTransactionId": record.reference,
        "merchantId": merchant.merchant_id,
        "storeId": merchant.store_id,
    }


_PORTAL_LABELS: Final = {
    FollowUpType.CAPTURE: _("Capture {amount}"),
    FollowUpType.REFUND: _("Refund {amount}"),
    FollowUpType.REVERSAL_PREAUTHORIZATION: _("Reverse {amount}"),
}


def _portal_amounts(record: TransactionRecord) -> list[tuple[FollowUpType, Money]]:
    """Return the largest amount of each possible follow-up; a follow-up itself has none."""
    return [] if record.original_reference else list(amounts_left(record))


def _fault_buttons(rows: Iterable[tuple[Label, FaultKind, dict[str, str]]]) -> tuple[Button, ...]:
    return tuple(
        Button(
            label=label,
            call="set-fault",
            fields={"operation": ANY_OPERATION, "fault": fault, **details},
        )
        for label, fault, details in rows
    )


def _choices(heading: Label, field: str, values: Iterable[tuple[str, Label]], in_force: str) -> ButtonGroup:
    buttons = tuple(
        Button(label=label, call="behaviour", fields={field: value}, in_force=value == in_force)
        for value, label in values
    )
    return ButtonGroup(heading=heading, buttons=buttons)


def _switch(heading: Label, field: str, *, on: bool) -> ButtonGroup:
    values = [("false", _("no")), ("true", _("yes"))]
    return _choices(heading, field, values, _boolean(on))


def _boolean(value: bool) -> str:  # noqa: FBT001 - the value itself
    return "true" if value else "false"


def _given(given: Mapping[str, str], call: str) -> dict[str, str]:
    """Return the form values in a page's address, if they are of this call's form."""
    return dict(given) if given.get("call") == call else {}
