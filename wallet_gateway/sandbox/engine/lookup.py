"""Finding what the control interface means by a reference.

References are unique per merchant only, so a caller may have to say whose is meant. Where one merchant's
reference stands for several things, the one that can still be acted on is meant, else the newest, whose state
then says why not.
"""

from __future__ import annotations

from dataclasses import dataclass

from wallet_gateway.protocol.text import quote
from wallet_gateway.sandbox.engine.records import find_original
from wallet_gateway.sandbox.engine.refusals import AmbiguousReference, UnknownReference
from wallet_gateway.sandbox.models import Authentication, Checkout, Merchant, RecordState, TransactionRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Whose:
    """A reference, and the merchant where the caller named one."""

    reference: str
    merchant_id: str | None = None
    store_id: str | None = None


def find_checkout(whose: Whose) -> Checkout:
    """Find the checkout under a reference; raises ``UnknownReference`` or ``AmbiguousReference``."""
    merchant = _merchant_of(whose, "checkouts__reference")
    checkouts = list(Checkout.objects.filter(merchant=merchant, reference=whose.reference).order_by("-pk"))
    return next((one for one in reversed(checkouts) if not one.decided_outcome), checkouts[0])


def find_pending(whose: Whose) -> TransactionRecord:
    """Find the pending transaction under a reference; raises what ``find_checkout`` raises."""
    merchant = _merchant_of(whose, "records__reference")
    records = list(
        TransactionRecord.objects.filter(merchant=merchant, reference=whose.reference).order_by("-pk")
    )
    return next((one for one in reversed(records) if one.state == RecordState.PENDING), records[0])


def find_authentication(whose: Whose) -> Authentication:
    """Find the 3-D Secure page of an authorization; raises what ``find_checkout`` raises."""
    merchant = _merchant_of(whose, "records__reference")
    authentication = (
        Authentication.objects.filter(record__merchant=merchant, record__reference=whose.reference)
        .select_related("record")
        .order_by("-pk")
        .first()
    )
    if authentication is None:
        raise UnknownReference(f"{quote(whose.reference)} has no 3-D Secure page.")
    return authentication


def find_payment(whose: Whose) -> TransactionRecord:
    """Find the original transaction under a reference; raises a ``Refusal``."""
    return find_original(_merchant_of(whose, "records__reference"), whose.reference)


def _merchant_of(whose: Whose, path: str) -> Merchant:
    named = {"merchant_id": whose.merchant_id, "store_id": whose.store_id}
    conditions = {name: value for name, value in named.items() if value is not None}
    merchants = list(Merchant.objects.filter(**conditions, **{path: whose.reference}).distinct()[:2])
    if not merchants:
        raise UnknownReference(f"Nothing is known under {quote(whose.reference)}.")
    if len(merchants) > 1:
        raise AmbiguousReference(
            f"Several merchants use {quote(whose.reference)}; say merchantId and storeId."
        )
    return merchants[0]
