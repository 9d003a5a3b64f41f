"""The dashboard on one page: the work queue, the emergency stop, and statistics as charts, tables and CSV."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.contrib.admin import AdminSite
from django.http import Http404, HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import URLPattern
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wallet_gateway import conf, gateways
from wallet_gateway.admin.confirm import ConfirmPage
from wallet_gateway.admin.dashboard_figures import ListUrl, csv_lines, currency_parts, gateway_table
from wallet_gateway.admin.dashboard_work_queue import work_of
from wallet_gateway.admin.filters import CURRENCY, FIGURE, FIRST, LAST, today
from wallet_gateway.admin.forms import StopForm
from wallet_gateway.admin.health_page import health_page
from wallet_gateway.admin.keys import keys_page
from wallet_gateway.admin.orders import expires_from
from wallet_gateway.admin.pages import (
    TEST_SUFFIX,
    figures_are_tests,
    log_change,
    render_page,
    tests_beside_real_money,
)
from wallet_gateway.admin.permissions import ROTATE_KEYS, SEE_TRANSACTIONS, STOP_SENDING
from wallet_gateway.admin.read_only import ReadOnlyAdmin, filtered_list
from wallet_gateway.findings import Finding
from wallet_gateway.models import Dashboard, GatewayPause, GatewayTransaction
from wallet_gateway.models.decisions import VIEW_HEALTH
from wallet_gateway.payments import maintenance
from wallet_gateway.reports.health import account_problems, sweep_problems
from wallet_gateway.reports.statistics import LONGEST_RANGE, Counted, Period, figures
from wallet_gateway.reports.work import waiting

DEFAULT_DAYS = 30
EARLIEST, LATEST = date(1973, 1, 1), date(9000, 1, 1)
"""Limits that every database can calculate with, for the period before, too."""


class DateInput(forms.DateInput):
    """The browser's own date picker; its value is ISO 8601 in every language."""

    input_type = "date"

    def __init__(self) -> None:
        super().__init__(format="%Y-%m-%d")


class RangeForm(forms.Form):
    """First and last day, both included, and one currency or all; if invalid, the default days and why."""

    first = forms.DateField(label=gettext_lazy("From"), widget=DateInput, input_formats=["%Y-%m-%d"])
    last = forms.DateField(label=gettext_lazy("To"), widget=DateInput, input_formats=["%Y-%m-%d"])
    currency = forms.CharField(
        label=gettext_lazy("Currency"), required=False, max_length=3, widget=forms.Select
    )

    def __init__(self, given: QueryDict, *, today: date) -> None:
        self._default_range = (today - timedelta(days=DEFAULT_DAYS - 1), today)
        first, last = self._default_range
        super().__init__({"first": first, "last": last} | given.dict())

    def offer_currencies(self, currencies: tuple[str, ...]) -> None:
        """Fill the currency field with the currencies in use."""
        select = self.fields["currency"].widget
        assert isinstance(select, forms.Select)  # noqa: S101 - declared above
        select.choices = [("", _("All")), *((code, code) for code in currencies)]

    def clean(self) -> dict[str, Any]:
        """Require dates in order and at most a year, which is what a page can show."""
        cleaned = super().clean() or self.cleaned_data
        first, last = cleaned.get("first"), cleaned.get("last")
        if not (first and last):
            return cleaned
        if first > last:
            self.add_error("first", _("The first day is after the last."))
        elif last - first >= LONGEST_RANGE:
            self.add_error("first", _("At most %(days)d days.") % {"days": LONGEST_RANGE.days})
        elif first < EARLIEST or last > LATEST:
            self.add_error("first", _("There is nothing to show for these days."))
        return cleaned

    @property
    def selected_currency(self) -> str:
        """Return the selected currency; empty for all."""
        return str(self.cleaned_data["currency"]) if self.is_valid() else ""

    @property
    def period(self) -> Period:
        """Return the selected days; the default ones if the form is invalid."""
        first, last = self._default_range
        if self.is_valid():
            first, last = self.cleaned_data["first"], self.cleaned_data["last"]
        return Period(first=first, last=last, zone=timezone.get_current_timezone())


def dashboard_page(site: AdminSite, request: HttpRequest) -> HttpResponse:
    """Show the dashboard at once; a script fetches its figures after it, or a link leads to them."""
    return _page(site, request, {"query": request.GET.urlencode()})


def figures_page(site: AdminSite, request: HttpRequest) -> HttpResponse:
    """Show the dashboard with its figures: for a browser without scripts."""
    return _page(site, request, {"with_figures": True, **_figures(site, request)})


def figures_part(site: AdminSite, request: HttpRequest) -> HttpResponse:
    """Return the figures alone, as a part of the page."""
    return TemplateResponse(request, "admin/wallet_gateway/_figures.html", _figures(site, request))


def _page(site: AdminSite, request: HttpRequest, more: dict[str, Any]) -> HttpResponse:
    pauses = {pause.gateway: pause for pause in maintenance.sending_pauses()}
    alarms: tuple[Finding, ...] = ()
    if request.user.has_perm(VIEW_HEALTH):
        # What the health view says of sweeps and accounts; the rest of it has rows on this page.
        sweeps = sweep_problems(gateways.clock().now(), maintenance.gateway_aliases())
        alarms = (*sweeps, *account_problems(maintenance.wrong_accounts()))
    context = {
        "title": _("Payments dashboard"),
        "work": work_of(
            waiting(expires_from(), now=gateways.clock().now(), live=gateways.live_aliases()), request
        ),
        "alarms": alarms,
        "gateways": tuple(
            {
                "alias": alias,
                "pause": pauses.get(alias),
                "is_test": gateways.is_test(alias),
                # In the settings, which no button can change.
                "is_off": not given.policy.sending,
            }
            for alias, given in conf.settings().gateways.items()
        ),
        "may_stop": request.user.has_perm(STOP_SENDING),
        "may_rotate": request.user.has_perm(ROTATE_KEYS),
        "may_see_health": request.user.has_perm(VIEW_HEALTH),
        **more,
    }
    return render_page(site, request, "dashboard.html", context)


def _figures(site: AdminSite, request: HttpRequest) -> dict[str, Any]:
    form = RangeForm(request.GET, today=today())
    period = form.period
    rows = site.get_model_admin(GatewayTransaction)
    days = {FIRST: str(period.first), LAST: str(period.last)}

    def list_url(figure: Counted, currency: str) -> str:
        return filtered_list(rows, request, {FIGURE: figure.value, CURRENCY: currency, **days})

    return {
        "form": form,
        "period": period,
        "is_unfinished": period.first <= today() <= period.last,
        **_read(form, list_url=list_url),
        "query": request.GET.urlencode(),
    }


def figures_csv(site: AdminSite, request: HttpRequest) -> HttpResponseBase:  # noqa: ARG001 - as the others
    """Return the statistics of the page as one CSV."""
    form = RangeForm(request.GET, today=today())
    found = _read(form)
    is_test = figures_are_tests()
    lines = csv_lines(found["parts"], found["gateway_table"], is_test=is_test)
    answer = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    period = form.period
    name = f"figures{TEST_SUFFIX if is_test else ''}-{period.first}-{period.last}.csv"
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


def _read(form: RangeForm, *, list_url: ListUrl | None = None) -> dict[str, Any]:
    """Read the statistics; with `list_url` also the main figures, compared with the days before."""
    period = form.period
    tests = tests_beside_real_money()
    found = figures(period, compared=list_url is not None, without_tests=bool(tests))
    form.offer_currencies(found.currencies)
    return {
        "uncounted": tests,
        "parts": currency_parts(found, period.days, only=form.selected_currency, list_url=list_url),
        "gateway_table": gateway_table(found, period.days),
    }


class SendingPage(ConfirmPage):
    """The page that stops sending to a gateway, or resumes it."""

    row: GatewayPause

    def __init__(self, site: AdminSite, request: HttpRequest, alias: str, verb: str) -> None:
        row = GatewayPause(gateway=alias)
        super().__init__(site, request, STOP_SENDING, row, place=Dashboard)
        if verb not in {"stop", "resume"} or conf.find_gateway(alias) is None:
            raise Http404
        self.stops = verb == "stop"
        if self.stops:
            self.form_class = StopForm

    def describe(self) -> None:
        """Say what it means."""
        self.facts = [(_("Gateway"), self.row.gateway)]
        self.title = self.verb = _("Resume sending")
        self.explanation = _("Customers can pay again, and waiting requests are sent.")
        if self.stops:
            self.title, self.verb = _("Stop all sending"), _("Stop sending")
            self.explanation = _(
                "No checkout, capture, refund or reversal leaves until the stop ends or somebody resumes "
                "sending; customers cannot pay. What has left already is still asked after."
            )

    def act(self) -> None:
        """Stop or resume."""
        alias, reason = self.row.gateway, self.form.cleaned_data["reason"]
        if self.stops:
            minutes = self.form.cleaned_data["minutes"]
            until = gateways.clock().now() + timedelta(minutes=minutes) if minutes else None
            pause = maintenance.stop_sending(alias, by=self.by, reason=reason, until=until)
            title, done = _("Stop all sending"), _("Nothing new is sent to %(gateway)s any more.")
        else:
            pause = maintenance.resume_sending(alias, by=self.by, reason=reason)
            title, done = _("Resume sending"), _("Sending to %(gateway)s goes on.")
        until = pause.stopped_until
        end = f" ({until.isoformat(timespec='seconds')})" if until else ""
        log_change(self.request.user, pause, f"{title}{end}: {reason}")
        messages.warning(self.request, done % {"gateway": alias})


@admin.register(Dashboard)
class DashboardAdmin(ReadOnlyAdmin):
    """Admin of the dashboard, which has no rows: its list is the only page."""

    viewers = (SEE_TRANSACTIONS,)
    pages: ClassVar = {
        "changelist": ("", dashboard_page),
        "keys": ("keys/", keys_page),
        "health": ("health/", health_page),
        "figures": ("figures/", figures_page),
        "figures_part": ("figures/part/", figures_part),
        "csv": ("figures.csv", figures_csv),
        "stop": ("<str:alias>/<str:verb>/", SendingPage.view),
    }

    def get_urls(self) -> list[URLPattern]:
        """Serve these pages only, the dashboard at the URL of the list."""
        return self.own_urls()
