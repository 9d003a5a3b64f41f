"""Columns that behave the same on SQLite, PostgreSQL and MariaDB, and how people read what they hold.

No rules about money here. One label for each member name, in all enumerations: an order and a payment are
both called paid.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeVar, cast

from django.core.validators import RegexValidator
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.query_utils import DeferredAttribute
from django.db.models.sql.compiler import SQLCompiler
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from wallet_gateway.domain.discrepancies import Explanation, ExplanationCode
from wallet_gateway.domain.evidence import KINDS
from wallet_gateway.domain.people import Actor, ReasonCode
from wallet_gateway.domain.policy import WalletLimit
from wallet_gateway.domain.states import PaymentType, TransactionKind, TransactionState
from wallet_gateway.protocol.card_numbers import mask_card_numbers
from wallet_gateway.protocol.codes import Currency, currency_exponent, stored_currency
from wallet_gateway.protocol.endpoints import wire_type
from wallet_gateway.protocol.errors import UnknownCode
from wallet_gateway.protocol.money import Money

_NAMES = {
    # States
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
    # Evidence
    "ANSWER": pgettext_lazy("name of a state or kind", "Answer"),
    "FAULT": pgettext_lazy("name of a state or kind", "Fault"),
    "RECORDS": pgettext_lazy("name of a state or kind", "Records"),
    "DECISION": pgettext_lazy("name of a state or kind", "Decision"),
    "APPROVAL": pgettext_lazy("name of a state or kind", "Agreed to"),
    "LEASE_ENDED": pgettext_lazy("name of a state or kind", "Lease ended"),
    "LIMIT_REACHED": pgettext_lazy("name of a state or kind", "Limit reached"),
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
    # Limits of the wallet button
    "SESSIONS": pgettext_lazy("name of a state or kind", "Browsers"),
    "ATTEMPTS": pgettext_lazy("name of a state or kind", "Attempts"),
    "PRICES": pgettext_lazy("name of a state or kind", "Price requests"),
    "DISCOUNT_CODES": pgettext_lazy("name of a state or kind", "Discount codes"),
    "RESULTS": pgettext_lazy("name of a state or kind", "Results"),
    "AUTHORIZATIONS": pgettext_lazy("name of a state or kind", "Authorizations"),
    # Batches and their rows, and requests for a second person
    "AWAITING_APPROVAL": pgettext_lazy("name of a state or kind", "Waits for a second person"),
    "STATUS_QUERY": pgettext_lazy("name of a state or kind", "Status query"),
    "DRAFT": pgettext_lazy("name of a state or kind", "Draft"),
    "RUNNING": pgettext_lazy("name of a state or kind", "Running"),
    "PAUSED": pgettext_lazy("name of a state or kind", "Paused"),
    "STOPPED": pgettext_lazy("name of a state or kind", "Stopped"),
    "FINISHED": pgettext_lazy("name of a state or kind", "Finished"),
    "WORKING": pgettext_lazy("name of a state or kind", "Working"),
    "CARRIED_OUT": pgettext_lazy("name of a state or kind", "Carried out"),
    "LEFT_OUT": pgettext_lazy("name of a state or kind", "Left out"),
    "AGREED": pgettext_lazy("name of a state or kind", "Agreed to"),
    "DECLINED": pgettext_lazy("name of a state or kind", "Declined"),
    "WITHDRAWN": pgettext_lazy("name of a state or kind", "Withdrawn"),
    "WAITING": pgettext_lazy("name of a state or kind", "Waiting"),
    "REFUSED": pgettext_lazy("name of a state or kind", "Refused"),
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


# Column types


VISIBLE_ASCII = RegexValidator(r"\A[!-~]+\Z", "Only visible ASCII characters without blanks are allowed.")


_GREATEST = "\U0010ffff"
_Row = TypeVar("_Row", bound=models.Model)

if TYPE_CHECKING:
    _Set = TypeVar("_Set", contravariant=True)
    _Get = TypeVar("_Get", covariant=True)

    class ByteExactField(models.CharField[_Set, _Get]): ...

    # Django's fields take no parameters when they run.
    _CurrencyCode = models.CharField[str, Currency]
    _Exponent = models.SmallIntegerField[int | None, int | None]
else:
    _CurrencyCode, _Exponent = models.CharField, models.SmallIntegerField

    class ByteExactField(models.CharField):
        """A text column in which `A-1`, `a-1` and `A-1 ` are three values, on every database.

        MariaDB's and MySQL's default collations fold case and ignore trailing blanks, so a reference could
        match another one or be refused as its duplicate. MySQL lacks MariaDB's collation without padding;
        there, trailing blanks are still ignored.
        """

        def db_parameters(self, connection: BaseDatabaseWrapper) -> dict[str, Any]:
            """Add the binary collation where the default one folds case."""
            parameters = super().db_parameters(connection)
            if connection.vendor == "mysql":
                is_mariadb = getattr(connection, "mysql_is_mariadb", False)
                parameters["collation"] = "utf8mb4_nopad_bin" if is_mariadb else "utf8mb4_bin"
            return parameters


class _CurrencyOfRow(DeferredAttribute):
    """Gives the currency of a row with the row's own exponent, which no table has to know."""

    def __get__(self, row: models.Model | None, owner: type[models.Model] | None = None) -> Any:  # noqa: ANN401
        code = super().__get__(row, owner)
        exponent = None if row is None else row.__dict__.get("exponent")
        return stored_currency(code, exponent)

    def __set__(self, row: models.Model, code: object) -> None:
        row.__dict__[self.field.attname] = code


class CurrencyField(_CurrencyCode):
    """The code of a currency; a model that has one has an `ExponentField` named `exponent`, too."""

    descriptor_class = _CurrencyOfRow


class ExponentField(_Exponent):
    """How many decimals the amounts of a row have, as it was when the row was made.

    ISO 4217 withdraws currencies, and a table of them is updated: stored amounts stay readable.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"null": True, "editable": False, **options})

    def pre_save(self, row: models.Model, add: bool) -> int | None:  # noqa: FBT001 - Django's signature
        """Return what is stored: that of the currency's table where a row was made without one."""
        exponent: int | None = super().pre_save(row, add)
        if exponent is None:
            with suppress(UnknownCode):
                exponent = currency_exponent(row.__dict__["currency"])
                setattr(row, self.attname, exponent)
        return exponent


class WithAmount(models.Model):
    """A row with an amount of money."""

    currency = CurrencyField(_("currency"), max_length=3)
    exponent = ExponentField()
    amount_minor = models.BigIntegerField(_("amount in minor units"))

    class Meta:
        abstract = True

    @property
    def amount(self) -> Money:
        """The amount, with its currency."""
        return Money.from_minor_units(self.amount_minor, self.currency)


@ByteExactField.register_lookup
class IndexedStartsWith(models.Lookup):
    """`column__begins=text`: a range of the column's index on every database; `%` and `_` are literal.

    Django's `startswith` is a LIKE. SQLite and MariaDB read the whole table for it, and a prepared statement
    of PostgreSQL may do the same.
    """

    lookup_name = "begins"

    def as_sql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, tuple[Any, ...]]:
        """Compare with the text and with the last text that begins with it, byte by byte."""
        column, of_column = self.process_lhs(compiler, connection)
        value, of_value = self.process_rhs(compiler, connection)
        # An index by `varchar_pattern_ops` is sorted by bytes, whatever the database's language is.
        from_, to = ("~>=~", "~<=~") if connection.vendor == "postgresql" else (">=", "<=")
        last = (f"{text}{_GREATEST}" for text in of_value)
        sql = f"({column} {from_} {value} AND {column} {to} {value})"
        return sql, (*of_column, *of_value, *of_column, *last)


def cut_to(model: type[models.Model], column: str, text: str) -> str:
    """Return as much of a text as its column can store."""
    field = cast("models.CharField[str, str]", model._meta.get_field(column))
    return text[: field.max_length]


def note_of(model: type[models.Model], column: str, text: str) -> str:
    """Return what a person or a gateway wrote freely as its column stores it: cut, without card numbers."""
    return cut_to(model, column, mask_card_numbers(text))


def choices_of(enum: type[StrEnum]) -> list[tuple[str, str | Promise]]:
    """Return Django choices for an enumeration: its values, and their labels in the reader's language."""
    return [(member.value, label_of(member)) for member in enum]


def optional_key(
    to: type[_Row], related_name: str = "+", **options: Any
) -> models.ForeignKey[Any, _Row | None]:
    """Return the column for another row, if there is one. It is not deleted while this row is there."""
    key: models.ForeignKey[Any, _Row | None] = models.ForeignKey(
        to, on_delete=models.PROTECT, related_name=related_name, null=True, blank=True, **options
    )
    return key


# Who did something, and why


LONGEST_ACCOUNT = 255
"""The longest primary key that the column of an account stores."""


def account_column() -> ByteExactField[str, str]:
    """Return the column for the account of an actor; empty for a program."""
    return ByteExactField(max_length=LONGEST_ACCOUNT, blank=True, default="", editable=False)


class Requested(models.Model):
    """A row with who asked for it, and why."""

    created_by = models.CharField(_("author"), max_length=150, blank=True)
    created_by_account = account_column()
    reason_code = models.CharField(
        _("reason"), max_length=16, choices=choices_of(ReasonCode), blank=True, default=""
    )
    """The reason of a person; empty for a program."""
    comment = models.CharField(_("note"), max_length=500, blank=True)

    class Meta:
        abstract = True


def actor_columns(model: type[models.Model], column: str, actor: Actor) -> dict[str, Any]:
    """Return the two columns that store an actor: the name, cut to its length, and the account."""
    return {column: cut_to(model, column, actor.name), f"{column}_account": actor.account}


def actor_in(row: models.Model, column: str) -> Actor:
    """Return the actor that two columns of a row store."""
    return Actor(name=getattr(row, column), account=getattr(row, f"{column}_account"))


# Explanations


class Explained(models.Model):
    """A row that says why: `explanation` is the sentence."""

    explanation_code = models.CharField(max_length=32, blank=True)
    """One of `ExplanationCode`; empty if there is nothing to explain."""
    explanation_params = models.JSONField(default=dict, blank=True)

    class Meta:
        abstract = True

    @property
    def explanation(self) -> str:
        """Return the sentence in the active language; empty if there is no explanation."""
        return sentence_for(self.explanation_code, self.explanation_params) if self.explanation_code else ""


def explanation_columns(explanation: Explanation | None) -> dict[str, Any]:
    """Return the columns that store an explanation."""
    if explanation is None:
        return {"explanation_code": "", "explanation_params": {}}
    return {
        "explanation_code": explanation.code.value,
        "explanation_params": explanation.stored_params,
    }


def explanation_text(explanation: Explanation | None) -> str:
    """Return the sentence of an explanation that is not stored."""
    return "" if explanation is None else sentence_for(explanation.code, explanation.stored_params)


def sentence_for(code: str, params: Mapping[str, Any]) -> str:
    """Return the sentence for a code in the active language, followed by the other party's own words."""
    # A row of another version may lack a parameter.
    shown = defaultdict(lambda: "?", ((name, _shown(name, value)) for name, value in params.items()))
    sentence = str(SENTENCES[code]) % shown if code in SENTENCES else code
    said = str(params.get("said", ""))
    if not (sentence and said):
        return sentence or said
    return gettext("%(sentence)s: %(said)s") % {"sentence": sentence, "said": said}


def _shown(name: str, value: Any) -> Any:  # noqa: ANN401 - what JSON stores
    """Return a parameter in readable form."""
    if name in {"state", "reported"} and str(value) in TransactionState.__members__:
        return label_of(TransactionState(value))
    if name == "wallet_limit" and str(value) in WalletLimit.__members__:
        return label_of(WalletLimit(value))
    if name == "type":
        return _type(value)
    if name == "reason":
        return REASONS.get(str(value), value)
    if isinstance(value, list):
        parts = [part for part in value if isinstance(part, Mapping)]
        if name == "records":
            return " | ".join(map(_record, parts))
        return "; ".join(sentence_for(one.get("code", ""), one.get("params", {})) for one in parts)
    return value


def _type(word: object) -> object:
    """Return what people call a type of the interface; the gateway's own word for any other."""
    known = _TYPES.get(str(word).lower())
    return word if known is None else label_of(known)


_TYPES: Mapping[str, TransactionKind | PaymentType] = {
    **KINDS,
    **{wire_type(TransactionKind.CHECKOUT, type_).lower(): type_ for type_ in PaymentType},
}


def _record(record: Mapping[str, str]) -> str:
    words = (
        _type(record.get("type")) if record.get("type") else gettext("of unknown type"),
        record.get("id"),
    )
    named = " ".join(str(word) for word in words if word)
    return f"{named}: {record.get('fault', '')}"


_C = ExplanationCode
SENTENCES: Mapping[str, str | Promise] = {
    _C.GATEWAY_MESSAGE: _("The gateway's message"),
    _C.ERRORED: _("The gateway reports Errored"),
    _C.STATE_UNDOCUMENTED: _("The gateway reports the undocumented state %(given)s"),
    _C.REFERENCE_NOT_ECHOED: _("The answer does not contain our reference"),
    _C.CURRENCY_NOT_ECHOED: _("The answer does not contain our currency"),
    _C.AMOUNT_UNREADABLE: _("Approved, but the amount is missing or unreadable"),
    _C.NO_RECORD: _("The gateway has no record of it"),
    _C.RECORDS_UNREADABLE: _("Records of the gateway that cannot be read (%(count)s): %(records)s"),
    _C.RECORD_ID_TOO_LONG: _("The record's id has more than %(limit)s characters"),
    _C.RECORD_ID_PLACEHOLDER: _("The approved record's id is a placeholder: %(record)s"),
    _C.AMOUNT_DIFFERS: _("Record %(record)s has %(given)s %(currency)s, requested was %(requested)s"),
    _C.CURRENCY_DIFFERS: _("Record %(record)s is in %(given)s, requested was %(requested)s"),
    _C.APPROVED_ABOVE_REQUEST: _("Approved for %(given)s %(currency)s, requested was %(requested)s"),
    _C.REFUND_SHORT: _("%(given)s of %(requested)s %(currency)s refunded"),
    _C.EXECUTED_TWICE: _("Approved records: %(ids)s"),
    _C.RECORD_TAKEN: _("The gateway's record %(record)s belongs to another transaction"),
    _C.MADE_ELSEWHERE: _("%(type)s of %(given)s %(currency)s, record %(record)s"),
    _C.ABOVE_LIMIT: _("%(excess)s of %(given)s %(currency)s are more than the limit allows"),
    _C.UNKNOWN_TYPE: _(
        "Record %(record)s is of the unknown type %(type)s: %(given)s %(currency)s, state %(state)s"
    ),
    _C.UNKNOWN_STATE: _("The gateway uses the word %(given)s for a state, which the interface does not name"),
    _C.RECORDS_SHARED: _("%(type)s, record %(record)s, is in the gateway's answers about two payments"),
    _C.APPROVED_AFTER_END: _("Approved at the gateway, after the state here was “%(state)s”"),
    _C.LATE_PAYMENT: _("Paid after the order had been cancelled: give the money back, or accept the payment"),
    _C.STATE_DIFFERS: _("“%(reported)s” at the gateway, “%(state)s” here"),
    _C.REPEATED_ON_THE_WIRE: _(
        "Refused and yet approved: something between the shop and the gateway repeats requests"
    ),
    _C.HOST_UNEXPECTED: _("The payment page is on host %(host)s, which is not an allowed one"),
    _C.SCHEME_UNEXPECTED: _("The payment page is at %(scheme)s://%(host)s, and only https is allowed"),
    _C.NOT_SENT: _("Nothing was sent (%(reason)s)"),
    _C.OUTCOME_UNKNOWN: _("The outcome is unknown (%(reason)s)"),
    _C.REFUSED: _("The gateway refused (code %(error_code)s, HTTP %(http_status)s)"),
    _C.REFUND_AMOUNT_EXCEEDED: _(
        "The gateway refused: at most %(maximum)s can be refunded, requested was %(requested)s "
        "(deposit %(deposit)s, refunded %(refunded)s)"
    ),
    _C.PAGE_ENDED: _("The payment page has ended and the gateway has no record"),
    _C.SENDER_SILENT: _("The process that was sending ended without a result"),
    _C.NOT_RETRIED: _("Nothing was sent, and nobody tried again in the lifetime of the page"),
    _C.RESULT_NOT_RECEIVED: _("No result of the wallet has come; nothing was sent"),
    _C.PRESSED_AGAIN: _("Nothing was sent; the customer can press the wallet button again"),
    _C.UNREACHABLE_GIVEN_UP: _("The gateway could not be reached; given up at once"),
    _C.COMMENT: "",
    _C.RESEND_REQUESTED: _("To be sent again"),
    _C.REFUSAL_SEEN: _("The refusal was seen"),
    _C.RECONCILED: _("Reconciled (%(count)s): %(differences)s"),
    _C.DATA_ERASED: _("Personal data erased"),
    _C.WALLET_LIMITS_RAISED: _("Limits of the wallet button raised"),
    _C.WALLET_LIMIT_REACHED: _("Limit reached: %(wallet_limit)s, %(allowed)s allowed"),
}
"""The sentence of each code; a person's comment stands for itself."""

REASONS: Mapping[str, str | Promise] = {
    "refused_connection": _("connection refused"),
    "dns": _("host name not found"),
    "tls": _("TLS failed"),
    "connect_timeout": _("no connection in time"),
    "proxy": _("the proxy refused"),
    "no_api_key": _("the key service gave no key"),
    "stale_claim": _("the time for sending was over"),
    "timeout": _("no complete answer in time"),
    "connection_lost": _("connection lost"),
    "broken_http": _("the answer is not HTTP"),
    "bad_encoding": _("the answer cannot be decompressed"),
    "too_large": _("the answer is too large"),
    "redirect": _("a redirect, which is not followed"),
    "server_error": _("server error"),
    "rate_limited": _("too many requests"),
    "try_later": _("the gateway asks to try later"),
    "foreign_answer": _("the answer is not the gateway's"),
    "unreadable": _("the answer cannot be read"),
    "wrong_shape": _("the answer has the wrong form"),
    "contradictory": _("the answer is an error and a success at once"),
    "other": _("another reason"),
}
"""Why a call failed: the values of `NotSentReason` and `UnknownReason` of the client."""
