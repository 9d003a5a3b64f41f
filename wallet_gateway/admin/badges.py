"""States as badges: the word in a colour of its meaning, which nobody has to see to understand it."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.utils.html import format_html
from django.utils.safestring import SafeString

from wallet_gateway.domain.states import OrderState, TransactionState
from wallet_gateway.models import ApprovalState, BatchState, RowState

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


class Tone(StrEnum):
    """What the colour of a badge says, or that of a column in a chart, which has a pattern, too."""

    GOOD = "good"
    WAIT = "wait"
    """Something is still to come."""
    BAD = "bad"
    """Somebody should look at it."""
    PLAIN = "plain"
    """It has ended."""


_TONES: dict[str, Tone] = {
    **dict.fromkeys(
        (OrderState.PAID, TransactionState.APPROVED, BatchState.FINISHED, ApprovalState.AGREED), Tone.GOOD
    ),
    **dict.fromkeys(
        (
            OrderState.PENDING,
            OrderState.AUTHORIZED,
            OrderState.PART_CAPTURED,
            TransactionState.SENDING,
            TransactionState.UNKNOWN,
            TransactionState.AWAITING_RESULT,
            TransactionState.AWAITING_3DS,
            BatchState.RUNNING,
            BatchState.PAUSED,
            BatchState.STOPPED,
            RowState.AWAITING_APPROVAL,
            ApprovalState.WAITING,
        ),
        Tone.WAIT,
    ),
    **dict.fromkeys(
        (
            OrderState.FROZEN,
            OrderState.OVERPAID,
            OrderState.FAILED,
            TransactionState.REJECTED,
            TransactionState.ANOMALY,
            TransactionState.NOT_SENT,
        ),
        Tone.BAD,
    ),
}
"""By the state's value: states of different rows with one name mean the same."""


def tone_of(state: str) -> Tone:
    """Return what the colour of a state says."""
    return _TONES.get(state, Tone.PLAIN)


def badge(tone: Tone, text: StrOrPromise) -> SafeString:
    """Return a word in a tone's colour."""
    return format_html('<span class="wallet-badge wallet-badge--{}">{}</span>', tone.value, text)


def state_badge(row: Any) -> SafeString:  # noqa: ANN401 - any row that has a state
    """Return a row's state as a badge."""
    return badge(tone_of(row.state), row.get_state_display())


def state_column(label: StrOrPromise) -> Callable[[Any], SafeString]:
    """Return a column with a row's state as a badge."""

    @admin.display(description=label)
    def state(row: Any) -> SafeString:  # noqa: ANN401 - any row that has a state
        return state_badge(row)

    return state
