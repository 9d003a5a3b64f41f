"""The possible findings of the checks: a code, a level, the parameters, and the message for each code.

The health view, `wallet_doctor` and the repeated system checks show the same findings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Text = str | Promise


class Level(StrEnum):
    """The severity of a finding."""

    OK = "ok"
    WARNING = "warning"
    """It works, and a person should look at it."""
    ERROR = "error"
    """Payments are at risk or do not work."""


class Code(StrEnum):
    """The codes of findings. A repeated system check uses its own id as the code."""

    NOT_CONFIGURED = "not_configured"
    CHECKS_PASSED = "checks_passed"
    # Work in progress
    SWEPT = "swept"
    SWEEP_LATE = "sweep_late"
    NEVER_SWEPT = "never_swept"
    OUTCOME_UNKNOWN = "outcome_unknown"
    CONTRADICTIONS = "contradictions"
    TRANSACTIONS_WAITING = "transactions_waiting"
    DISCREPANCIES_OPEN = "discrepancies_open"
    UNIT_MIX_UPS = "unit_mix_ups"
    ORDERS_OVERPAID = "orders_overpaid"
    UNKNOWN_GATEWAY = "unknown_gateway"
    EVENTS_LATE = "events_late"
    SENDING_PAUSED = "sending_paused"
    BATCHES_IDLE = "batches_idle"
    # This machine and its database
    NO_KEYS = "no_keys"
    KEYS_READABLE = "keys_readable"
    KEYS_UNREADABLE = "keys_unreadable"
    DATABASE_SILENT = "database_silent"
    ISOLATION_TOO_WEAK = "isolation_too_weak"
    ISOLATION_SUITABLE = "isolation_suitable"
    ISOLATION_STRICT = "isolation_strict"
    DATABASE_CLOCK_DIFFERS = "database_clock_differs"
    # A gateway
    SENDING_DISABLED = "sending_disabled"
    GATEWAY_REACHED = "gateway_reached"
    GATEWAY_UNREACHABLE = "gateway_unreachable"
    CREDENTIALS_REFUSED = "credentials_refused"
    GATEWAY_BUSY = "gateway_busy"
    UNEXPECTED_ANSWER = "unexpected_answer"
    GATEWAY_CLOCK_DIFFERS = "gateway_clock_differs"
    GATEWAY_CLOCK_AGREES = "gateway_clock_agrees"
    # Before going live
    PROFILE_NOT_LIVE = "profile_not_live"
    NO_PAYMENT_COMPARED = "no_payment_compared"
    PAYMENT_COMPARED = "payment_compared"


_MESSAGES: Mapping[Code, Promise] = MappingProxyType(
    {
        Code.NOT_CONFIGURED: _(
            "payments are not set up: manage.py check names what is wrong in the settings"
        ),
        Code.CHECKS_PASSED: _("complete, and the database keeps what it has committed"),
        Code.SWEPT: _("every gateway was swept within %(minutes)d minutes"),
        Code.SWEEP_LATE: _("%(gateway)s was last swept %(minutes)d minutes ago"),
        Code.NEVER_SWEPT: _("%(gateway)s was never swept"),
        Code.OUTCOME_UNKNOWN: _("an outcome is unknown since %(since)s"),
        Code.CONTRADICTIONS: _("contradictions that wait for a decision: %(count)d"),
        Code.TRANSACTIONS_WAITING: _("transactions that wait for a person: %(count)d"),
        Code.DISCREPANCIES_OPEN: _("open discrepancies: %(count)d"),
        Code.UNIT_MIX_UPS: _("open unit mix-ups, amounts that differ by a factor of ten or more: %(count)d"),
        Code.ORDERS_OVERPAID: _("overpaid orders: %(count)d"),
        Code.UNKNOWN_GATEWAY: _("transactions at gateways that the settings do not name: %(count)d"),
        Code.EVENTS_LATE: _("events that could not be delivered to the shop: %(count)d"),
        Code.SENDING_PAUSED: _("nothing is sent to %(gateway)s"),
        Code.BATCHES_IDLE: _("running batches that no worker drives: %(count)d"),
        Code.NO_KEYS: _("none are set, and no gateway has a wallet that needs them"),
        Code.KEYS_READABLE: _("keys that are set: %(count)d; what is stored can be read"),
        Code.KEYS_UNREADABLE: _("the newest stored secret opens with none of the FERNET_KEYS"),
        Code.DATABASE_SILENT: _("does not answer: %(error)s"),
        Code.ISOLATION_TOO_WEAK: _("reads what is not committed (%(isolation)s)"),
        Code.ISOLATION_SUITABLE: _("isolation is %(isolation)s"),
        Code.ISOLATION_STRICT: _("isolation is %(isolation)s; conflicts are tried again"),
        Code.DATABASE_CLOCK_DIFFERS: _("the database is %(seconds)s s off this machine"),
        Code.SENDING_DISABLED: _("SENDING_ENABLED is False in the settings: nothing new is sent"),
        Code.GATEWAY_REACHED: _("reached, and it takes our credentials; it answered in %(milliseconds)d ms"),
        Code.GATEWAY_UNREACHABLE: _("cannot be reached: %(error)s"),
        Code.CREDENTIALS_REFUSED: _("reached, but it does not take our credentials: %(error)s"),
        Code.GATEWAY_BUSY: _("reached, but it wants to be left alone: %(error)s"),
        Code.UNEXPECTED_ANSWER: _("reached, but it does not answer as agreed: %(error)s"),
        Code.GATEWAY_CLOCK_DIFFERS: _("the gateway %(gateway)s is %(seconds)s s off this machine"),
        Code.GATEWAY_CLOCK_AGREES: _("agrees with the gateway %(gateway)s within %(seconds)s s"),
        Code.PROFILE_NOT_LIVE: _("PROFILE is %(profile)s"),
        Code.NO_PAYMENT_COMPARED: _("no real payment was compared with the bank statement"),
        Code.PAYMENT_COMPARED: _("%(amount)s, order %(reference)s, compared by %(by)s"),
    }
)
_RUN_SWEEP = _("Run manage.py wallet_sweep every minute, or with --loop.")
_SEE_RUNBOOK = _("See docs/runbook.md.")
_TIME_SERVICE = _("Run a time service on this machine: certificates and leases depend on its clock.")
_ADVICE: Mapping[Code, Promise] = MappingProxyType(
    {
        Code.SWEEP_LATE: _RUN_SWEEP,
        Code.NEVER_SWEPT: _RUN_SWEEP,
        Code.OUTCOME_UNKNOWN: _SEE_RUNBOOK,
        Code.CONTRADICTIONS: _SEE_RUNBOOK,
        Code.TRANSACTIONS_WAITING: _SEE_RUNBOOK,
        Code.DISCREPANCIES_OPEN: _SEE_RUNBOOK,
        Code.UNIT_MIX_UPS: _SEE_RUNBOOK,
        Code.ORDERS_OVERPAID: _SEE_RUNBOOK,
        Code.UNKNOWN_GATEWAY: _SEE_RUNBOOK,
        Code.EVENTS_LATE: _SEE_RUNBOOK,
        Code.SENDING_PAUSED: _SEE_RUNBOOK,
        Code.BATCHES_IDLE: _("Run manage.py wallet_sweep, or open the page of the batch."),
        Code.KEYS_UNREADABLE: _("Put the key that was removed back behind the others, then rotate."),
        Code.ISOLATION_TOO_WEAK: _("Set it to read committed."),
        Code.ISOLATION_STRICT: _("Prefer read committed."),
        Code.DATABASE_CLOCK_DIFFERS: _TIME_SERVICE,
        Code.GATEWAY_UNREACHABLE: _("See BASE_URL, the network and certificates."),
        Code.CREDENTIALS_REFUSED: _("See MERCHANT_ID, STORE_ID, USER_ID and AUTH."),
        Code.UNEXPECTED_ANSWER: _("See BASE_URL and PATHS."),
        Code.GATEWAY_CLOCK_DIFFERS: _TIME_SERVICE,
        Code.PROFILE_NOT_LIVE: _("Set it to 'prod'."),
        Code.NO_PAYMENT_COMPARED: _(
            "Pay an order of a low amount, such as 1.00 EUR, compare it, and record it with "
            "--record-payment REFERENCE."
        ),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One finding about one subject."""

    level: Level
    code: str
    """A `Code`, or the id of a system check."""
    subject: str
    """The subject of the check: `settings`, `clock`, `gateway default`."""
    params: Mapping[str, object] = field(default_factory=dict)
    message: Text
    """The message, with a placeholder for each parameter."""
    advice: Text = ""

    @property
    def text(self) -> str:
        """Return the message in the reader's language."""
        return str(self.message) % self.params if self.params else str(self.message)

    def as_dict(self) -> dict[str, object]:
        """Return the finding for programs; code and parameters are the same in every language."""
        return {
            "level": self.level.value,
            "code": str(self.code),
            "subject": self.subject,
            "params": dict(self.params),
            "text": self.text,
            "advice": str(self.advice),
        }


def ok(code: Code, subject: str, **params: object) -> Finding:
    """Return a finding that a subject is in order."""
    return _finding(Level.OK, code, subject, params)


def warning(code: Code, subject: str, **params: object) -> Finding:
    """Return a finding that a person should check."""
    return _finding(Level.WARNING, code, subject, params)


def error(code: Code, subject: str, **params: object) -> Finding:
    """Return a finding that something is wrong."""
    return _finding(Level.ERROR, code, subject, params)


def _finding(level: Level, code: Code, subject: str, params: Mapping[str, object]) -> Finding:
    advice = _ADVICE.get(code, "")
    return Finding(
        level=level, code=code, subject=subject, params=params, message=_MESSAGES[code], advice=advice
    )
