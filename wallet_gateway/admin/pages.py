"""What all pages share: site, layout, TEST mark, the admin's log, texts, and what a page was made for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from django.contrib import messages
from django.contrib.admin import AdminSite
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.core import signing
from django.core.exceptions import ImproperlyConfigured
from django.db.models import Model, prefetch_related_objects
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wallet_gateway import conf, gateways
from wallet_gateway.domain.people import Account
from wallet_gateway.domain.states import TransactionKind, TransactionState
from wallet_gateway.formats import format_money, format_short_datetime
from wallet_gateway.models import (
    Discrepancy,
    GatewayTransaction,
    Payment,
    PaymentOrder,
    TransactionEvent,
    TransactionEventKind,
)
from wallet_gateway.models.fields import cut_to, label_of
from wallet_gateway.models.maintenance import is_test_row
from wallet_gateway.payments import follow_ups
from wallet_gateway.payments.errors import OperationError, OperationRefused
from wallet_gateway.protocol.card_numbers import mask_card_numbers
from wallet_gateway.protocol.follow_ups import SentAlong
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import visible

_LEVELS = {
    TransactionState.APPROVED: messages.SUCCESS,
    TransactionState.REJECTED: messages.ERROR,
    TransactionState.ANOMALY: messages.ERROR,
    TransactionState.ABANDONED: messages.INFO,
}


def render_page(
    site: AdminSite,
    request: HttpRequest,
    template: str,
    context: dict[str, Any],
    *,
    about: Iterable[Model] = (),
) -> HttpResponse:
    """Render a page in the layout of the admin; `about` are the rows that decide whether it is of a test."""
    shown = {**site.each_context(request), **mark_of(about), **context}
    return TemplateResponse(request, f"admin/wallet_gateway/{template}", shown)


def page_url(request: HttpRequest, name: str, *args: object) -> str:
    """Return the URL of a page in the admin site that serves the request: `paymentorder_change`."""
    return reverse(f"admin:wallet_gateway_{name}", args=args, current_app=request.current_app)


def row_url(request: HttpRequest, row: Model) -> str:
    """Return the URL of a row's page."""
    return page_url(request, f"{row._meta.model_name}_change", row.pk)


def row_name(row: Model) -> str:
    """Return the name under which people know a row, in their language."""
    if isinstance(row, GatewayTransaction):
        return f"{label_of(TransactionKind(row.kind))} {row.reference}"
    if isinstance(row, Discrepancy):
        return str(row.get_kind_display())
    if isinstance(row, TransactionEvent):
        return f"{label_of(TransactionEventKind(row.kind))}, {format_short_datetime(row.occurred_at)}"
    return visible(row)


def show_status(request: HttpRequest, transaction: GatewayTransaction) -> None:
    """Show a transaction's status as a message of the matching level."""
    level = _LEVELS.get(TransactionState(transaction.state), messages.WARNING)
    messages.add_message(request, level, sentence_of(transaction))


def sentence_of(transaction: GatewayTransaction, *, write: Callable[[Money], str] = format_money) -> str:
    """Return one sentence with the operation and its status, in the reader's language.

    What is stored is written with `str`: it is read in other languages, too, in which `1.234` is another
    amount.
    """
    words = _("%(kind)s of %(amount)s: %(state)s.") % {
        "kind": label_of(TransactionKind(transaction.kind)),
        "amount": write(transaction.approved_amount or transaction.amount),
        "state": label_of(TransactionState(transaction.state)),
    }
    if transaction.state == TransactionState.UNKNOWN:
        words += " " + _("The amount stays reserved; the gateway is being asked and nothing is sent again.")
    if transaction.explanation:
        words += " " + _("Details: %(detail)s") % {"detail": visible(transaction.explanation)}
    return words


TEST_SUFFIX = "-test"
"""Ends the first part of the name of a file about tests only, so that nobody books it."""


# The TEST mark. What was stored with a payment decides; of what has none, the profile that its gateway has
# today.


def are_all_tests() -> bool:
    """Return whether the settings have test gateways only: then every page is about tests."""
    known = conf.settings().gateways
    return bool(known) and not conf.wrong_accounts() and all(map(gateways.is_test, known))


def figures_are_tests() -> bool:
    """Return whether the figures are of tests: of anything else there is neither a gateway nor a payment."""
    return are_all_tests() and not Payment.objects.exclude(is_test=True).exists()


def tests_beside_real_money() -> tuple[str, ...]:
    """Return the gateways whose tests are not added to real money; none if there are only tests."""
    if figures_are_tests():
        return ()
    known = filter(gateways.is_test, conf.settings().gateways)
    stored = PaymentOrder.objects.filter(payments__is_test=True).order_by().values_list("gateway", flat=True)
    return tuple(sorted({*known, *stored.distinct()}))


def mark_of(rows: Iterable[Model]) -> dict[str, bool]:
    """Return what the mark of a page says that is about these rows; without any, about all gateways."""
    rows = list(rows)
    prefetch_related_objects([row for row in rows if isinstance(row, PaymentOrder)], "payments")
    is_test = all(is_test_row(row, is_test_page) for row in rows) if rows else are_all_tests()
    return {
        "is_test": is_test,
        "was_test": is_test and not all(is_test_page(gateway_of(row)) for row in rows),
    }


def is_test_page(gateway: str = "") -> bool:
    """Return whether a page gets the mark; `gateway` is the one that it is about, empty for all."""
    return gateways.is_test(gateway) if gateway else are_all_tests()


def gateway_of(row: Model) -> str:
    """Return the gateway of a row or of its transaction; empty if it may have several, as a batch."""
    parent = getattr(row, "transaction", None) or getattr(row, "order", None)
    return str(getattr(row, "gateway", "") or getattr(parent, "gateway", ""))


def marked(text: str, row: Model) -> str:
    """Return a text of a row in a list, with the mark where the row is a test and the page has none."""
    if is_test_page() or not is_test_row(row, gateways.is_test):
        return text
    return format_html('{} <strong class="wallet-badge wallet-badge--test">{}</strong>', text, _("TEST"))


def log_change(user: Account, of: Model | type[Model], what: str) -> None:
    """Record in the admin's log what somebody did with a row, or with many rows of a model."""
    is_row = isinstance(of, Model)
    LogEntry.objects.create(
        user_id=str(user.pk),
        content_type=ContentType.objects.get_for_model(of),
        object_id=str(of.pk) if is_row else None,
        object_repr=cut_to(LogEntry, "object_repr", visible(of if is_row else of._meta.verbose_name_plural)),
        action_flag=CHANGE,
        change_message=mask_card_numbers(what),
    )


def refusal_text(error: OperationError | ImproperlyConfigured, *, gateway: str) -> str:
    """Return why nothing was done; name the gateway whose settings are missing or wrong."""
    if isinstance(error, OperationError):
        return visible(error.message)
    words = _("Gateway %(gateway)s is not in the settings, or its settings are wrong. Nothing was done.")
    return words % {"gateway": visible(gateway)}


MAX_BODY_LENGTH = 20_000
"""Maximum number of characters shown of one message body."""

_JSON_PART = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[{}\[\],:]|[^\s"{}\[\],:]++')
_INDENT = "  "


def visible_body(text: str) -> str:
    """Return a message body formatted in lines, with invisible characters escaped."""
    shown = visible(text, max_length=MAX_BODY_LENGTH)
    if shown[:1] not in {"{", "["}:
        return shown
    # Not parsed: apart from whitespace, the text shown is the text sent.
    written: list[str] = []
    depth = 0
    for part in _JSON_PART.findall(shown):
        if part in "}]":
            depth = max(depth - 1, 0)
            written.append("\n" + _INDENT * depth)
        written.append(part)
        if part in "{[":
            depth += 1
        if part in "{[,":
            written.append("\n" + _INDENT * depth)
        elif part == ":":
            written.append(" ")
    return "".join(written)


def visible_request(
    payment: Payment, kind: TransactionKind, amount: Money, *, sends: SentAlong | None = None
) -> str:
    """Return the request body that an operation would send; empty if it could not be sent as things are."""
    try:
        return visible_body(follow_ups.preview(payment, kind, amount, sends=sends))
    except (ImproperlyConfigured, OperationRefused):
        return ""


# What a page was made for, signed.

LIFETIME_SECONDS = 3600
"""How long a page, or the check of a file, can be submitted."""
TOO_OLD = gettext_lazy("This page is too old or was changed on its way. Look at it again.")


class NotDone(Exception):
    """Report that what a page was submitted for was not done; the message says why."""


def signed(token: str, *, salt: str) -> Any:  # noqa: ANN401 - of the shape that was signed
    """Return what was signed for a page of this kind; raise `NotDone` if it is forged or too old."""
    try:
        return signing.loads(token, salt=salt, max_age=LIFETIME_SECONDS)
    except signing.BadSignature as error:
        raise NotDone(TOO_OLD) from error


def changed_since(available: Money) -> str:
    """Return the message for a page that shows another available amount than there is now."""
    words = _("Meanwhile something has changed: there are now %(available)s. Look at it again.")
    return words % {"available": format_money(available)}
