"""What the gateway has recorded of a transaction: as values for a shop, and how it differs from our records.

What a record means for money is in `evidence`. Only records under a reference that we know can be found: a
status query searches by reference.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime

from wallet_gateway.domain.discrepancies import DiscrepancyKind, Explanation, ExplanationCode, explain
from wallet_gateway.domain.evidence import (
    EVENTS,
    Finding,
    FoundDiscrepancy,
    Verdict,
    made_elsewhere,
    unknown_type_explanation,
    unreadable_explanation,
)
from wallet_gateway.domain.states import LifecycleEvent, TransactionState
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.status import (
    RecordedApmDetails,
    RecordedBillingAddress,
    RecordedShippingAddress,
    StatusRecord,
)
from wallet_gateway.protocol.text import quote

# What the gateway has recorded, for a shop. `repr` of these values shows no personal data.


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedAddress:
    """An address as the provider reports it, in the provider's words; what it leaves out is empty."""

    name: str = field(default="", repr=False)
    """The full name, in one field."""
    first_name: str = field(default="", repr=False)
    """First name, where it is told apart."""
    last_name: str = field(default="", repr=False)
    """Last name, where it is told apart."""
    house_number: str = field(default="", repr=False)
    """Empty if the provider writes it into `street`."""
    street: str = field(default="", repr=False)
    """The street, perhaps with the house number."""
    city: str = field(default="", repr=False)
    """The city's name."""
    postal_code: str = field(default="", repr=False)
    """Postal code, as text."""
    state: str = field(default="", repr=False)
    """State or region, in the provider's words."""
    country: str = field(default="", repr=False)
    """Country, in the provider's words."""
    phone: str = field(default="", repr=False)
    """Phone number, in the provider's words."""
    email: str = field(default="", repr=False)
    """E-mail address of a shipping address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Payer:
    """The payer as the provider reports them; what it leaves out is empty."""

    payer_id: str = field(default="", repr=False)
    """The provider's identifier of the payer."""
    account_number: str = field(default="", repr=False)
    """The account at the provider, as far as it is told."""
    email: str = field(default="", repr=False)
    """The payer's e-mail address."""
    first_name: str = field(default="", repr=False)
    """First name, as at the provider."""
    last_name: str = field(default="", repr=False)
    """Last name, as at the provider."""
    state: str = field(default="", repr=False)
    """State or province, in the provider's words."""
    country: str = field(default="", repr=False)
    """Country code, in the provider's words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayRecord:
    """One record of a status query (the interface, section Transaction status record)."""

    record_id: str
    """The gateway's own id of the transaction; empty if a record that is not approved has none."""
    reference: str
    """The clientSystemTransactionId under which the gateway files it."""
    type: str
    """The type on the wire, such as `ecom.capture`."""
    state: str
    """The gateway's word, such as `Approved`. It decides nothing: read the `state` of the transaction."""
    amount: Money | None
    """The recorded amount with its currency; None if a record that is not approved has none to read."""
    transacted_at: datetime | None
    """The time of the transaction in UTC; None if the gateway gives none that can be read."""
    provider: str
    """The provider's name, or that of the kind of operation."""
    provider_transaction_id: str
    """The provider's id; empty for an errored follow-up."""
    payer: Payer
    """What the provider tells of the payer."""
    billing_address: RecordedAddress | None
    """None if the record has no part of it."""
    shipping_address: RecordedAddress | None
    """Given for a pre-authorization; None if the record has no part of it."""
    message: StatusRecord = field(repr=False)
    """The record as it was read, with every field of the interface."""


def as_gateway_record(message: StatusRecord) -> GatewayRecord:
    """Return a status record as a shop reads it."""
    details = message.apm_details or RecordedApmDetails()
    return GatewayRecord(
        record_id=message.id or "",
        reference=message.client_system_transaction_id,
        type=message.type,
        state=message.state,
        amount=message.money,
        transacted_at=message.transacted_at,
        provider=details.apm_name or "",
        provider_transaction_id=details.apm_provider_transaction_id or "",
        payer=Payer(
            payer_id=details.apm_payer_id or "",
            account_number=details.apm_payer_account_number or "",
            email=details.apm_payer_email_address or "",
            first_name=details.apm_payer_firstname or "",
            last_name=details.apm_payer_lastname or "",
            state=details.apm_payer_state_or_province or "",
            country=details.apm_payer_country_code or "",
        ),
        billing_address=_address(details, "billing", details.billing_address),
        shipping_address=_address(details, "shipping", details.shipping_address),
        message=message,
    )


def _address(
    details: RecordedApmDetails, kind: str, given: RecordedBillingAddress | None
) -> RecordedAddress | None:
    """Return an address: the place of its object, or else that of the single fields beside it."""
    prefix = f"apm_payer_{kind}_"
    single = {name.removeprefix(prefix): text for name, text in details if name.startswith(prefix)}
    person = given if isinstance(given, RecordedShippingAddress) else RecordedShippingAddress()
    place = (
        {}
        if given is None
        else {
            "house_number": given.house_number,
            "street": given.street,
            "city": given.city,
            "postal_code": given.zip_postal_code,
            "state": given.state,
            "country": given.country_code,
        }
    )
    if not any(place.values()):
        place = {"street": single["street1"], "city": single["city_name"]}
        place |= {name: single[name] for name in ("postal_code", "country")}
    parts = {
        **place,
        "name": single["name"] or " ".join(filter(None, (person.first_name, person.last_name))),
        "first_name": person.first_name,
        "last_name": person.last_name,
        "phone": person.telephone_number or single["phone"],
        "email": person.email,
    }
    found = {name: text for name, text in parts.items() if text}
    return RecordedAddress(**found) if found else None


# A gateway's answer compared with our records: each difference by its type. This decides, and writes nothing.


_SAYS = {
    Verdict.APPROVED: frozenset({TransactionState.APPROVED}),
    Verdict.PENDING: frozenset({TransactionState.PENDING, TransactionState.AWAITING_3DS}),
    # A transaction that ended here without money may have a record that says why.
    Verdict.REJECTED: frozenset(
        {TransactionState.REJECTED, TransactionState.ABANDONED, TransactionState.EXPIRED}
    ),
}
"""States that agree with the gateway's answer."""


def differences(
    state: TransactionState, finding: Finding, *, is_settled: bool = False
) -> tuple[FoundDiscrepancy, ...]:
    """Return every difference between a transaction in this state and the gateway's answer.

    `is_settled` means that a person has closed those of the transaction's own records; what stands beside
    them is a difference all the same.
    """
    found: list[tuple[DiscrepancyKind, Explanation]] = []
    is_open = not (is_settled or finding.discrepancies or finding.own_unreadable)
    if is_open and finding.absent and state is TransactionState.APPROVED:
        found.append((DiscrepancyKind.MISSING_THERE, explain(ExplanationCode.NO_RECORD)))
    elif is_open and finding.undocumented_state:
        # It holds as a pending one does, and a person has to read it all the same.
        word = explain(ExplanationCode.STATE_UNDOCUMENTED, given=quote(finding.undocumented_state))
        found.append((DiscrepancyKind.UNKNOWN_STATE, word))
    elif is_open and finding.verdict in _SAYS and state not in _SAYS[finding.verdict]:
        found.append((DiscrepancyKind.STATE_DIFFERS, _states(finding, state)))
    elsewhere = (*finding.elsewhere, *finding.unknown_references)
    found += [(DiscrepancyKind.MADE_ELSEWHERE, made_elsewhere(record)) for record in elsewhere]
    unknown = finding.unknown_types
    found += [(DiscrepancyKind.UNKNOWN_TYPE, unknown_type_explanation(record)) for record in unknown]
    if finding.unreadable:
        found.append((DiscrepancyKind.RECORD_UNREADABLE, unreadable_explanation(finding.unreadable)))
    own = () if is_settled else finding.discrepancies
    return (*own, *(FoundDiscrepancy(kind=kind, explanation=why) for kind, why in found))


def _states(finding: Finding, state: TransactionState) -> Explanation:
    return explain(ExplanationCode.STATE_DIFFERS, reported=finding.verdict.value, state=state.value)


def as_status_update(state: TransactionState, finding: Finding) -> tuple[LifecycleEvent | None, Finding]:
    """Return the lifecycle event for a difference, and the finding to record.

    An approval is not revoked because the gateway reports another state later, or has no record any more: a
    person must resolve such a difference.
    """
    if not finding.discrepancies and state is TransactionState.APPROVED:
        if finding.absent:
            missing = FoundDiscrepancy(
                kind=DiscrepancyKind.MISSING_THERE, explanation=explain(ExplanationCode.NO_RECORD)
            )
            return None, replace(finding, discrepancies=(missing,))
        # A word that is not documented is an alarm of its own, and contradicts nothing.
        is_other = finding.verdict is Verdict.REJECTED or (
            finding.verdict is Verdict.PENDING and not (finding.undocumented_state or finding.own_unreadable)
        )
        if is_other:
            why = _states(finding, state)
            differs = FoundDiscrepancy(
                kind=DiscrepancyKind.STATE_DIFFERS, explanation=why, record=finding.record
            )
            return None, replace(finding, discrepancies=(differs,), explanation=why)
    return EVENTS.get(finding.verdict), finding
