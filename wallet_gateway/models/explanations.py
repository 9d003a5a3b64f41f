"""The columns of an explanation, and the sentence for each code in the reader's language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.db import models
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from wallet_gateway.domain.evidence import KINDS
from wallet_gateway.domain.explanations import Explanation, ExplanationCode
from wallet_gateway.domain.policy import WalletLimit
from wallet_gateway.domain.states import PaymentType, TransactionKind, TransactionState
from wallet_gateway.models.labels import label_of
from wallet_gateway.protocol.endpoints import wire_type


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
    sentence = str(SENTENCES[code]) % _Shown(params) if code in SENTENCES else code
    said = str(params.get("said", ""))
    if not (sentence and said):
        return sentence or said
    return gettext("%(sentence)s: %(said)s") % {"sentence": sentence, "said": said}


class _Shown(dict[str, Any]):
    """Parameters in readable form; a row of another version may lack one."""

    def __init__(self, params: Mapping[str, Any]) -> None:
        super().__init__((name, _shown(name, value)) for name, value in params.items())

    def __missing__(self, name: str) -> str:
        return "?"


def _shown(name: str, value: Any) -> Any:  # noqa: ANN401 - what JSON stores
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
        return " | ".join(map(_record, parts)) if name == "records" else "; ".join(_nested(parts))
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


def _nested(explanations: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    return (sentence_for(one.get("code", ""), one.get("params", {})) for one in explanations)


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
