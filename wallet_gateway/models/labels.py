"""Labels of our states and kinds where a person reads them: admin, timeline, pages.

One label for each member name, in all enumerations: an order and a payment are both called paid.
"""

from __future__ import annotations

from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, pgettext_lazy

_NAMES = {
    # States
    "CREATED": pgettext_lazy("name of a state or kind", "Created"),
    "SENDING": pgettext_lazy("name of a state or kind", "Sending"),
    "NOT_SENT": pgettext_lazy("name of a state or kind", "Not sent"),
    "UNKNOWN": pgettext_lazy("name of a state or kind", "Unknown"),
    "OFFERED": pgettext_lazy("name of a state or kind", "Offered"),
    "OPEN": pgettext_lazy("name of a state or kind", "Open"),
    "AWAITING_RESULT": pgettext_lazy("name of a state or kind", "Awaiting result"),
    "AWAITING_3DS": pgettext_lazy("name of a state or kind", "Awaiting 3-D Secure"),
    "PENDING": pgettext_lazy("name of a state or kind", "Pending"),
    "APPROVED": pgettext_lazy("name of a state or kind", "Approved"),
    "REJECTED": pgettext_lazy("name of a state or kind", "Rejected"),
    "EXPIRED": pgettext_lazy("name of a state or kind", "Expired"),
    "ABANDONED": pgettext_lazy("name of a state or kind", "Abandoned"),
    "ANOMALY": pgettext_lazy("name of a state or kind", "Anomaly"),
    "AUTHORIZED": pgettext_lazy("name of a state or kind", "Authorized"),
    "PART_CAPTURED": pgettext_lazy("name of a state or kind", "Part captured"),
    "PAID": pgettext_lazy("name of a state or kind", "Paid"),
    "PART_REFUNDED": pgettext_lazy("name of a state or kind", "Part refunded"),
    "REFUNDED": pgettext_lazy("name of a state or kind", "Refunded"),
    "REVERSED": pgettext_lazy("name of a state or kind", "Reversed"),
    "FAILED": pgettext_lazy("name of a state or kind", "Failed"),
    "OVERPAID": pgettext_lazy("name of a state or kind", "Overpaid"),
    "CANCELLED": pgettext_lazy("name of a state or kind", "Cancelled"),
    "FROZEN": pgettext_lazy("name of a state or kind", "Frozen"),
    # Events
    "CLAIM": pgettext_lazy("name of a state or kind", "Sending begun"),
    "NOTHING_LEFT": pgettext_lazy("name of a state or kind", "Nothing was sent"),
    "LOST": pgettext_lazy("name of a state or kind", "No answer"),
    "PAGE_LOST": pgettext_lazy("name of a state or kind", "Page not received"),
    "OPENED": pgettext_lazy("name of a state or kind", "Opened"),
    "HELD": pgettext_lazy("name of a state or kind", "Held"),
    "CHALLENGED": pgettext_lazy("name of a state or kind", "3-D Secure asked for"),
    "CONTRADICTED": pgettext_lazy("name of a state or kind", "Contradiction"),
    "ACCEPTED_BY_PERSON": pgettext_lazy("name of a state or kind", "Accepted by a person"),
    "CAPTURED_IN_PART": pgettext_lazy("name of a state or kind", "Captured in part"),
    "RELEASED": pgettext_lazy("name of a state or kind", "Released"),
    "WALLET_LIMIT_REACHED": pgettext_lazy("name of a state or kind", "Wallet limit reached"),
    "OPERATION_REFUSED": pgettext_lazy("name of a state or kind", "Operation refused"),
    # Kinds of payments and operations
    "SALE": pgettext_lazy("name of a state or kind", "Sale"),
    "PREAUTHORIZATION": pgettext_lazy("name of a state or kind", "Preauthorization"),
    "CHECKOUT": pgettext_lazy("name of a state or kind", "Checkout"),
    "AUTHORIZATION": pgettext_lazy("name of a state or kind", "Authorization"),
    "CAPTURE": pgettext_lazy("name of a state or kind", "Capture"),
    "REFUND": pgettext_lazy("name of a state or kind", "Refund"),
    "REVERSAL": pgettext_lazy("name of a state or kind", "Reversal"),
    "DETACHED_REFUND": pgettext_lazy("name of a state or kind", "Detached refund"),
    # Ways of paying
    "HOSTED_PAGE": gettext_lazy("Hosted page"),
    "WALLET_BUTTON": gettext_lazy("Wallet button"),
    # Who requested it
    "SHOP": pgettext_lazy("name of a state or kind", "Shop"),
    "ELSEWHERE": pgettext_lazy("name of a state or kind", "Elsewhere"),
    # Reversal states
    "NONE": pgettext_lazy("name of a state or kind", "None"),
    "RESERVED": pgettext_lazy("name of a state or kind", "Reserved"),
    "DONE": pgettext_lazy("name of a state or kind", "Done"),
    # Differences
    "AMOUNT_DIFFERS": pgettext_lazy("name of a state or kind", "Amount differs"),
    "UNIT_MIX_UP": pgettext_lazy("name of a state or kind", "Unit mix up"),
    "CURRENCY_DIFFERS": pgettext_lazy("name of a state or kind", "Currency differs"),
    "EXECUTED_TWICE": pgettext_lazy("name of a state or kind", "Executed twice"),
    "RECORD_TAKEN": pgettext_lazy("name of a state or kind", "Record taken"),
    "RECORD_UNUSABLE": pgettext_lazy("name of a state or kind", "Record unusable"),
    "RECORD_UNREADABLE": pgettext_lazy("name of a state or kind", "Record unreadable"),
    "APPROVED_AFTER_END": pgettext_lazy("name of a state or kind", "Approved after end"),
    "LATE_PAYMENT": pgettext_lazy("name of a state or kind", "Late payment"),
    "MADE_ELSEWHERE": pgettext_lazy("name of a state or kind", "Made elsewhere"),
    "UNKNOWN_TYPE": pgettext_lazy("name of a state or kind", "Unknown type"),
    "UNKNOWN_STATE": pgettext_lazy("name of a state or kind", "Unknown state"),
    "RECORDS_SHARED": pgettext_lazy("name of a state or kind", "Records shared"),
    "APPROVED_ABOVE_REQUEST": pgettext_lazy("name of a state or kind", "Approved above request"),
    "ABOVE_LIMIT": pgettext_lazy("name of a state or kind", "Above limit"),
    "REFUND_SHORT": pgettext_lazy("name of a state or kind", "Refund short"),
    "REPEATED_ON_THE_WIRE": pgettext_lazy("name of a state or kind", "Repeated on the wire"),
    "UNEXPECTED_HOST": pgettext_lazy("name of a state or kind", "Unexpected host"),
    "MISSING_THERE": pgettext_lazy("name of a state or kind", "Missing there"),
    "STATE_DIFFERS": pgettext_lazy("name of a state or kind", "State differs"),
    # Evidence
    "ANSWER": pgettext_lazy("name of a state or kind", "Answer"),
    "FAULT": pgettext_lazy("name of a state or kind", "Fault"),
    "RECORDS": pgettext_lazy("name of a state or kind", "Records"),
    "DECISION": pgettext_lazy("name of a state or kind", "Decision"),
    "APPROVAL": pgettext_lazy("name of a state or kind", "Agreed to"),
    "LEASE_ENDED": pgettext_lazy("name of a state or kind", "Lease ended"),
    "LIMIT_REACHED": pgettext_lazy("name of a state or kind", "Limit reached"),
    # Limits of the wallet button
    "SESSIONS": pgettext_lazy("name of a state or kind", "Browsers"),
    "ATTEMPTS": pgettext_lazy("name of a state or kind", "Attempts"),
    "PRICES": pgettext_lazy("name of a state or kind", "Price requests"),
    "DISCOUNT_CODES": pgettext_lazy("name of a state or kind", "Discount codes"),
    "RESULTS": pgettext_lazy("name of a state or kind", "Results"),
    "AUTHORIZATIONS": pgettext_lazy("name of a state or kind", "Authorizations"),
    # Batches and their rows
    "STATUS_QUERY": pgettext_lazy("name of a state or kind", "Status query"),
    "DRAFT": pgettext_lazy("name of a state or kind", "Draft"),
    "RUNNING": pgettext_lazy("name of a state or kind", "Running"),
    "PAUSED": pgettext_lazy("name of a state or kind", "Paused"),
    "STOPPED": pgettext_lazy("name of a state or kind", "Stopped"),
    "FINISHED": pgettext_lazy("name of a state or kind", "Finished"),
    "WAITING": pgettext_lazy("name of a state or kind", "Waiting"),
    "WORKING": pgettext_lazy("name of a state or kind", "Working"),
    "CARRIED_OUT": pgettext_lazy("name of a state or kind", "Carried out"),
    "REFUSED": pgettext_lazy("name of a state or kind", "Refused"),
    "LEFT_OUT": pgettext_lazy("name of a state or kind", "Left out"),
    "AWAITING_APPROVAL": pgettext_lazy("name of a state or kind", "Waits for a second person"),
    # Requests for a second person
    "AGREED": pgettext_lazy("name of a state or kind", "Agreed to"),
    "DECLINED": pgettext_lazy("name of a state or kind", "Declined"),
    # A late payment
    "REPORTED": pgettext_lazy("name of a state or kind", "Reported"),
    "ACCEPTED": pgettext_lazy("name of a state or kind", "Accepted"),
    "WITHDRAWN": pgettext_lazy("name of a state or kind", "Withdrawn"),
    # Reasons for which a person moves money
    "SHIPPED": gettext_lazy("Goods shipped"),
    "PART_SHIPPED": gettext_lazy("Part of the goods shipped"),
    "SERVICE_RENDERED": gettext_lazy("Service rendered"),
    "RETURNED": gettext_lazy("Goods returned"),
    "DAMAGED": gettext_lazy("Damaged or missing"),
    "ORDER_CANCELLED": gettext_lazy("Order cancelled"),
    "PAID_TWICE": gettext_lazy("Paid twice"),
    "GOODWILL": gettext_lazy("Goodwill"),
    "UNAVAILABLE": gettext_lazy("Goods not available"),
    "SUSPICIOUS": gettext_lazy("Suspicion of fraud"),
    "OTHER": gettext_lazy("Another reason"),
}


def label_of(member: StrEnum) -> str | Promise:
    """Return the label of a state or kind in the reader's language; in English if there is no translation."""
    return _NAMES.get(member.name, member.name.replace("_", " ").capitalize())
