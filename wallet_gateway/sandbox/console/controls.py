"""The console's controls: the page with all buttons, and the view that makes a button's control call.

A click makes the call that the curl line beside the button makes. ``access`` admits only callers on this
machine or with the control key, and no pages of other sites. No cookie authorizes the buttons, so they need
no CSRF token.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Final
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.views.decorators.http import require_POST, require_safe

from wallet_gateway.protocol.errors import ProtocolError
from wallet_gateway.sandbox import state
from wallet_gateway.sandbox.api import faults
from wallet_gateway.sandbox.console import buttons
from wallet_gateway.sandbox.console.control_calls import CONTROL_CALLS, call_body
from wallet_gateway.sandbox.console.views import clock_ahead, console_page, fault_row, not_found
from wallet_gateway.sandbox.json_calls import Input, InvalidInput
from wallet_gateway.sandbox.models import TransactionRecord
from wallet_gateway.sandbox.pages.headers import set_security_headers
from wallet_gateway.sandbox.refusals import Refusal

SHOWN_ON: Final = "shown_on"
"""The form field that names the page of the button; all others are fields of the call."""
_PAGES: Final = frozenset({"console", "console_accounts", "console_controls"})
_SECTIONS: Final = {
    "advance-clock": "clock",
    "set-clock": "clock",
    "reset-clock": "clock",
    "set-fault": "faults",
    "clear-faults": "faults",
    "behaviour": "behaviour",
    "wallet": "wallet",
}


@require_safe
def show_controls(request: HttpRequest) -> HttpResponse:
    """Show the buttons for clock, faults, behaviour and wallet; the address may fill a form."""
    conditions = state.current_conditions()
    given = request.GET.dict()
    context = {
        "ahead": clock_ahead(),
        "clock_buttons": buttons.clock_buttons(),
        "clock_form": buttons.clock_form(conditions.now, given),
        "faults": [fault_row(fault) for fault in faults.list_faults()],
        "fault_groups": buttons.fault_groups(),
        "clear_button": buttons.CLEAR_FAULTS,
        "fault_form": buttons.fault_form(given),
        "behaviour_groups": buttons.behaviour_groups(conditions.behaviour),
        "behaviour_form": buttons.behaviour_form(conditions.behaviour, given),
        "wallet_buttons": buttons.wallet_buttons(state.wallet_mode()),
    }
    return console_page(request, "controls", context, section="controls")


@require_POST
def press(request: HttpRequest, name: str) -> HttpResponse:
    """Make a button's control call and return to its page; a refused call is shown with its reason."""
    call = CONTROL_CALLS.get(name)
    if call is None:
        return not_found(request, section="controls")
    fields = {field: str(text) for field, text in request.POST.items() if field != SHOWN_ON}
    page = _page_of(request.POST.get(SHOWN_ON, ""), name, fields)
    try:
        call.execute(Input(call_body(fields)))
    except Refusal as refusal:
        return _refused(request, name, fields, page=page, reason=str(refusal), status=refusal.status)
    except (InvalidInput, ProtocolError) as error:
        return _refused(request, name, fields, page=page, reason=str(error), status=HTTPStatus.BAD_REQUEST)
    return set_security_headers(HttpResponse(status=HTTPStatus.SEE_OTHER, headers={"Location": page}))


def _refused(
    request: HttpRequest, name: str, fields: dict[str, str], *, page: str, reason: str, status: int
) -> HttpResponse:
    button = buttons.Button(label=name, call=name, fields=fields)
    context = {"reason": reason, "button": button, "page": page}
    return console_page(request, "refused", context, section="controls", status=status)


def _page_of(shown_on: str, name: str, fields: dict[str, str]) -> str:
    """Return the address of the page a button stands on; a form of the controls page stays filled in."""
    if TransactionRecord.objects.filter(record_id=shown_on).exists():
        return reverse("console_transaction", args=[shown_on])
    page = reverse(shown_on if shown_on in _PAGES else "console_controls")
    if page != reverse("console_controls"):
        return page
    section = f"#{_SECTIONS[name]}" if name in _SECTIONS else ""
    query = f"?{urlencode({'call': name, **fields})}" if shown_on == "form" else ""
    return f"{page}{query}{section}"


console_control_urls: list[URLPattern] = [
    path("controls/", show_controls, name="console_controls"),
    path("controls/<str:name>/", press, name="console_press"),
]
