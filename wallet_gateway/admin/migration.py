"""The migration from an earlier provider: the import of its file, the export of it, and the final report.

A file is checked first, then imported, with progress after each step. The uploading user sees every bad row.
A file is imported only after the same user has checked the very same bytes, which a signed token proves. With
the page's script the response is streamed, one line of JSON per step; without the script the page is sent
when the import is complete.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterator
from typing import Any

from django import forms
from django.contrib.admin import AdminSite
from django.core import signing
from django.core.files.uploadedfile import UploadedFile
from django.db.models import Case, Count, F, Q, Sum, When
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from wallet_gateway import conf, gateways
from wallet_gateway.admin.pages import TEST_SUFFIX, NotDone, log_change, render_page, signed
from wallet_gateway.admin.permissions import require_permission
from wallet_gateway.models import MigratedDeposit
from wallet_gateway.models.decisions import DETACHED_REFUND
from wallet_gateway.payments import maintenance
from wallet_gateway.payments.maintenance import MAX_REPORTED, ImportReport
from wallet_gateway.protocol.codes import stored_currency
from wallet_gateway.protocol.migration_file import COLUMNS
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import escape_formula, visible
from wallet_gateway.reports.exports import TEST_COLUMN, yes_or_no

_SALT = "wallet_gateway.admin.migration-file"


class ImportForm(forms.Form):
    """The file, its gateway, and whether good rows are imported if others are bad."""

    file = forms.FileField(label=gettext_lazy("Migration file (CSV)"), allow_empty_file=True)
    gateway = forms.ChoiceField(
        label=gettext_lazy("Gateway"),
        choices=lambda: [(alias, alias) for alias in conf.settings().gateways],
    )
    keep_good = forms.BooleanField(
        label=gettext_lazy("Take the good rows in although there are bad ones"), required=False
    )


def import_page(site: AdminSite, request: HttpRequest) -> HttpResponseBase:
    """Show the form; check a file, or import a file that was checked."""
    require_permission(request, DETACHED_REFUND)
    posted = request.method == "POST"
    form = ImportForm(request.POST, request.FILES) if posted else ImportForm()
    if not posted or not form.is_valid():
        return _page(site, request, form)
    if request.headers.get("Accept") == "application/x-ndjson":
        lines = (json.dumps(progress) + "\n" for progress in _run(request, form))
        return StreamingHttpResponse(lines, content_type="application/x-ndjson")
    result: dict[str, Any] = {}
    bad: list[dict[str, Any]] = []
    for result in _run(request, form):
        bad += result["bad"][: MAX_REPORTED - len(bad)]
    return _page(site, request, form, result=result, bad=bad)


def export(site: AdminSite, request: HttpRequest, alias: str) -> HttpResponseBase:  # noqa: ARG001 - as the others
    """Return the current migration file of a gateway, streamed row by row."""
    require_permission(request, DETACHED_REFUND)
    answer = StreamingHttpResponse(
        maintenance.export_migration_file(gateway=alias), content_type="text/csv; charset=utf-8"
    )
    # The columns are the interface's: only the name can say that it is a test.
    name = f"migration{TEST_SUFFIX if gateways.is_test(alias) else ''}.csv"
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


def _run(request: HttpRequest, form: ImportForm) -> Iterator[dict[str, Any]]:
    """Check or import a file and yield the progress after each step; the last item is the result."""
    given, wants_import = form.cleaned_data, "import" in request.POST
    file: UploadedFile[Any] = given["file"]
    digest = hashlib.sha256()
    for chunk in file.chunks():
        digest.update(chunk)
    # A user imports only the file that they have had checked.
    proof = [str(request.user.pk), given["gateway"], digest.hexdigest()]
    try:
        was_checked = signed(request.POST.get("checked", ""), salt=_SALT) == proof
    except NotDone:
        was_checked = False
    file.seek(0)
    steps = maintenance.import_in_steps(
        file,
        gateway=given["gateway"],
        keep_good=given["keep_good"],
        dry_run=not (wants_import and was_checked),
    )
    while True:
        try:
            step = next(steps)
        except StopIteration as end:
            report: ImportReport = end.value
            break
        bad = [{"line": error.line, "reason": visible(error.reason)} for error in step.bad]
        yield {"checked": step.checked, "stored": step.stored, "bad": bad}
    sentence = _sentence(report)
    if report.stored:
        sentence += _("The good rows are taken in.")
        log_change(request.user, MigratedDeposit, sentence)
    elif wants_import and not was_checked:
        sentence += _("Nothing was taken in: this file had not been checked before. Now it is.")
    else:
        sentence += _("Nothing is taken in yet.")
    yield {
        "bad": [],
        "checked": report.accepted + report.rejected_in_all,
        "stored": report.accepted if report.stored else 0,
        "rejected": report.rejected_in_all,
        "sentence": sentence,
        "is_good": not report.rejected_in_all,
        "is_stored": report.stored,
        "token": "" if report.stored else signing.dumps(proof, salt=_SALT),
    }


def _sentence(report: ImportReport) -> str:
    good = ngettext("%(good)d row is good", "%(good)d rows are good", report.accepted)
    bad = ngettext("%(bad)d is bad", "%(bad)d are bad", report.rejected_in_all)
    return f"{good}, {bad}. " % {"good": report.accepted, "bad": report.rejected_in_all}


def _page(site: AdminSite, request: HttpRequest, form: ImportForm, **more: Any) -> HttpResponseBase:
    context = {
        "title": _("Import a migration file"),
        "form": form,
        "columns": ", ".join(COLUMNS),
        "most_reported": MAX_REPORTED,
        **more,
    }
    return render_page(site, request, "migrated_import.html", context)


_AMOUNTS = {
    "deposited": "deposited",
    "refunded_before": "before",
    "refunded": "ours",
    "under_way": "under_way",
    "open": "open",
}
"""The columns of the CSV, and the totals that stand in them."""


def report(site: AdminSite, request: HttpRequest) -> HttpResponse:
    """Show the totals by gateway and currency, or return them as CSV."""
    # Added up in one SQL statement; refunds that were tests of the live gateways are left out. `unknown` are
    # those that were refunded, but are in no migration file: of the amounts, only what this shop has refunded
    # and what is under way contains them.
    known, real = Q(is_known=True), ~Q(is_test=True, gateway__in=gateways.live_aliases())
    ours = Case(When(real, then=F("refunded") + F("refund_reserved")), default=0)
    of = ("gateway", "currency", "exponent")
    totals: list[dict[str, Any]] = list(
        MigratedDeposit.objects.order_by(*of)
        .values(*of)
        .annotate(
            deposits=Count("pk"),
            unknown=Count("pk", filter=~known),
            frozen=Count("pk", filter=Q(is_frozen=True)),
            deposited=Sum("amount_minor", filter=known),
            before=Sum("refunded_before"),
            ours=Sum("refunded", filter=real),
            under_way=Sum("refund_reserved", filter=real),
            open=Sum(F("amount_minor") - F("refunded_before") - ours, filter=known),
        )
    )
    for row in totals:
        currency = stored_currency(row["currency"], row["exponent"])
        for name in _AMOUNTS.values():
            row[name] = Money.from_minor_units(int(row[name] or 0), currency)
    if "csv" in request.GET:
        buffer = io.StringIO()
        writer = csv.writer(buffer)
        counts = ("deposits", "unknown", "frozen")
        writer.writerow(("gateway", "currency", *counts, *_AMOUNTS, TEST_COLUMN))
        for row in totals:
            writer.writerow(
                (
                    escape_formula(row["gateway"]),
                    row["currency"],
                    *(row[name] for name in counts),
                    *(row[name].to_wire() for name in _AMOUNTS.values()),
                    yes_or_no(gateways.is_test(row["gateway"])),
                )
            )
        answer = HttpResponse(buffer.getvalue(), content_type="text/csv; charset=utf-8")
        answer["Content-Disposition"] = 'attachment; filename="migration-report.csv"'
        return answer
    context = {
        "title": _("How the migration stands"),
        "totals": totals,
        "may_import": request.user.has_perm(DETACHED_REFUND),
    }
    return render_page(site, request, "migrated_report.html", context)
