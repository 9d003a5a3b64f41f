"""Refund one or several payments of an earlier provider: one page, a row for each, a result for each.

The page's ticket holds the keys of the intents, so that a page submitted twice does nothing twice. What a
submission did not come to in its time is begun by the next one.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from django.contrib import messages
from django.contrib.admin import AdminSite
from django.core import signing
from django.core.exceptions import ImproperlyConfigured
from django.forms import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from wallet_gateway import payments
from wallet_gateway.admin.forms import OperationForm, amount_of
from wallet_gateway.admin.journal import note_down
from wallet_gateway.admin.operating import REFUND
from wallet_gateway.admin.pages import draw, sentence_of
from wallet_gateway.admin.permissions import DETACHED_REFUND, demand, name_of_person
from wallet_gateway.admin.refusals import said
from wallet_gateway.models import GatewayTransaction, MigratedDeposit
from wallet_gateway.operations.errors import OperationRefused
from wallet_gateway.protocol.faults import (
    REFUND_AMOUNT_EXCEEDED,
    RefundLimit,
    read_refund_amount_exceeded,
)
from wallet_gateway.protocol.money import MOST_UNITS, Money

MOST_DEPOSITS = 50
SECONDS = 20.0
"""How long one submission sends before it shows how far it is."""
_SALT = "wallet_gateway.admin.detached-refund"
_LIVES_SECONDS = 3600


@dataclass(kw_only=True)
class DepositFields:
    """One deposit of the page: what was typed, what is wrong with it, what came of it."""

    deposit: MigratedDeposit
    taken: bool
    typed: str
    fault: str = ""
    amount: Money | None = None
    intent: GatewayTransaction | None = None

    @property
    def sentence(self) -> str:
        """What came of it."""
        return "" if self.intent is None else sentence_of(self.intent)

    @property
    def limit(self) -> RefundLimit | None:
        """The four amounts, where the gateway has refused more than is left."""
        return None if self.intent is None else limit_of(self.intent)


def limit_of(intent: GatewayTransaction) -> RefundLimit | None:
    """Find the four amounts in what the gateway said of a refused refund."""
    start = intent.detail.find(REFUND_AMOUNT_EXCEEDED)
    return None if start < 0 else read_refund_amount_exceeded(intent.detail[start:])


@dataclass(kw_only=True)
class RefundPage:
    """One request for the page."""

    site: AdminSite
    request: HttpRequest
    rows: list[DepositFields]
    token: str
    why: OperationForm = field(init=False)

    def __post_init__(self) -> None:
        given = self.request.POST if self.request.method == "POST" else None
        self.why = OperationForm(given, operation=REFUND, available=Money.from_minor_units(0, "EUR"))
        self.why.fields.pop("amount", None)

    def answer(self) -> HttpResponse:
        """Show the page; refund what it confirms, and show what came of each."""
        if self.request.method == "POST":
            self._find_done()
            if self._is_sound():
                self._carry_out()
        return draw(self.site, self.request, "migrated_refund.html", self._context())

    def _key(self, row: DepositFields) -> str:
        return f"page-{self.token}-{row.deposit.pk}"

    def _find_done(self) -> None:
        keys = {self._key(row): row for row in self.rows}
        for intent in GatewayTransaction.objects.filter(key__in=keys):
            keys[str(intent.key)].intent = intent

    def _is_sound(self) -> bool:
        open_rows = [row for row in self.rows if row.taken and row.intent is None]
        for row in open_rows:
            _read_amount(row)
        return self.why.is_valid() and not any(row.fault for row in open_rows)

    def _carry_out(self) -> None:
        ends_at = time.monotonic() + SECONDS
        for row in self.rows:
            if row.taken and row.intent is None and time.monotonic() < ends_at:
                self._refund(row)
        if self._is_unfinished:
            messages.info(self.request, _("Not all of them could be begun in one go. Submit the page again."))

    def _refund(self, row: DepositFields) -> None:
        assert row.amount is not None  # noqa: S101 - read before
        deposit, author = row.deposit, name_of_person(self.request)
        try:
            row.intent = payments.refund_migrated(
                deposit.parent_transaction_id,
                row.amount,
                deposit.currency,
                gateway=deposit.gateway,
                key=self._key(row),
                author=author,
                note=self.why.words,
            )
        except (OperationRefused, ImproperlyConfigured) as error:
            row.fault = said(str(error))
            return
        words = f"{row.sentence} ({row.intent.reference}; {self.why.words})"
        note_down(self.request, deposit, words)

    @property
    def _is_unfinished(self) -> bool:
        return any(row.taken and row.intent is None and not row.fault for row in self.rows)

    def _context(self) -> dict[str, object]:
        is_done = all(row.intent is not None for row in self.rows if row.taken)
        return {
            "title": _("Refund payments of the earlier provider"),
            "rows": self.rows,
            "why": self.why,
            "is_done": self.request.method == "POST" and is_done,
            "ticket": _issue(self.token, self.request, [row.deposit.pk for row in self.rows]),
            "back": list_url(),
        }


def _read_amount(row: DepositFields) -> None:
    left = row.deposit.refundable
    # What no file has told of only the gateway knows the limit of.
    available = left if left is not None else Money.from_minor_units(MOST_UNITS, row.deposit.currency)
    try:
        row.amount = amount_of(row.typed, REFUND, available)
    except ValidationError as error:
        row.fault = error.messages[0]


def refund_page(site: AdminSite, request: HttpRequest) -> HttpResponse:
    """Answer a request for the page of one or several deposits."""
    demand(request, DETACHED_REFUND)
    if request.method == "POST":
        found = _ticket(request)
        if found is None:
            messages.error(request, _("This page is too old or was changed on its way. Look at it again."))
            return HttpResponseRedirect(list_url())
        token, ids = found
    else:
        token, ids = secrets.token_urlsafe(12), _asked(request)
    rows = list(_fields(request, ids))
    if not rows:
        raise Http404
    return RefundPage(site=site, request=request, rows=rows, token=token).answer()


def _fields(request: HttpRequest, ids: Sequence[int]) -> Iterator[DepositFields]:
    posted = request.POST if request.method == "POST" else None
    for deposit in MigratedDeposit.objects.filter(pk__in=ids).order_by("pk"):
        left = deposit.refundable
        typed = left.to_wire() if left and left.minor_units else ""
        if posted is None:
            yield DepositFields(deposit=deposit, taken=left is None or bool(left.minor_units), typed=typed)
        else:
            taken = f"take-{deposit.pk}" in posted
            yield DepositFields(deposit=deposit, taken=taken, typed=posted.get(f"amount-{deposit.pk}", ""))


def _asked(request: HttpRequest) -> list[int]:
    words = request.GET.get("ids", "").split(",")
    if len(words) > MOST_DEPOSITS or not all(
        word.isascii() and word.isdigit() and len(word) < 19 for word in words
    ):
        raise Http404
    return list(map(int, words))


def _issue(token: str, request: HttpRequest, ids: Sequence[int]) -> str:
    return signing.dumps([token, str(request.user.pk), list(ids)], salt=_SALT)


def _ticket(request: HttpRequest) -> tuple[str, list[int]] | None:
    try:
        given = signing.loads(request.POST.get("ticket", ""), salt=_SALT, max_age=_LIVES_SECONDS)
    except signing.BadSignature:
        return None
    token, person, ids = given
    return (token, ids) if person == str(request.user.pk) else None


def list_url() -> str:
    """Return the address of the list of deposits."""
    return reverse("admin:wallet_gateway_migrateddeposit_changelist")


def refund_url(ids: Sequence[int]) -> str:
    """Return the address of the page for these deposits."""
    return reverse("admin:wallet_gateway_migrateddeposit_refund") + "?ids=" + ",".join(map(str, ids))
