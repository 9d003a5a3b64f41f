"""Sign and read the token in a return URL: the attempt, and which of the six URLs was used.

The attempt is signed; the outcome is plain text behind it, because it only selects
words. Not decided here: what the holder of the token may see (``web``, ``api``), and whether anything was
paid. A token only identifies the return URL; only the gateway's status query says what happened to the money.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from django.core import signing

SALT = "wallet_gateway.return"
# A payment page is open for 900 seconds at most; one more day covers a tab left open overnight.
MAX_AGE = timedelta(seconds=900, hours=24)
REFERENCE = re.compile(r"[A-Za-z0-9_-]{1,64}")


class ReturnOutcome(StrEnum):
    """The URL of ``redirectDetails`` by which the browser came back: it selects words and proves nothing."""

    RETURN = "return"
    SUCCESS = "success"
    PENDING = "pending"
    ERROR = "error"
    CANCEL = "cancel"
    REFUSED = "refused"


class BadReturnToken(ValueError):
    """Not a valid token: altered, truncated, or signed for another purpose or by another key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnToken:
    """The content of a genuine token."""

    reference: str
    """The attempt's ``clientSystemTransactionId``."""
    outcome: ReturnOutcome
    expired: bool
    """Older than ``MAX_AGE``: the gateway is still queried, but the page shows nothing about the order."""


def sign(reference: str, outcome: ReturnOutcome) -> str:
    """Return a URL-safe token for one attempt and one return URL."""
    if not REFERENCE.fullmatch(reference):
        raise ValueError(f"reference: expected 1 to 64 of A-Z a-z 0-9 _ -, got {reference!r}")
    return f"{signing.dumps(reference, salt=SALT)}:{ReturnOutcome(outcome)}"


def read(token: str) -> ReturnToken:
    """Return the content of the token, and whether it has expired.

    Raises:
        BadReturnToken: not signed by this key or one of ``SECRET_KEY_FALLBACKS``, or for another purpose.

    """
    signed, _, suffix = token.rpartition(":")
    expired = False
    try:
        outcome = ReturnOutcome(suffix)
        try:
            reference = signing.loads(signed, salt=SALT, max_age=MAX_AGE)
        except signing.SignatureExpired:
            reference, expired = signing.loads(signed, salt=SALT), True
    except (signing.BadSignature, ValueError) as fault:
        raise BadReturnToken("not a return token of this shop") from fault
    if not isinstance(reference, str) or not REFERENCE.fullmatch(reference):
        raise BadReturnToken("signed here, but not as a reference")
    return ReturnToken(reference=reference, outcome=outcome, expired=expired)
