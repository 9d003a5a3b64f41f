"""The calls of the control interface that the console's buttons make: one table, for the click and for curl.

A button holds its call's fields as form texts. ``call_body`` turns them into the JSON object of the call,
which the click executes and the curl line beside the button shows. So the two cannot differ.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from django.conf import settings

from wallet_gateway.protocol import strict_json
from wallet_gateway.protocol.strict_json import JsonValue, NumberText
from wallet_gateway.sandbox.control import views as control
from wallet_gateway.sandbox.json_calls import Input

NUMBERS: Final = frozenset({"advanceSeconds", "seconds", "statusLagSeconds", "times", "skip", "status"})
BOOLEANS: Final = frozenset({"numericAmounts", "shareReferences", "anotherCard", "newestFirst"})
"""Fields that are JSON numbers or booleans; all others are texts."""

_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,15})(?:\.[0-9]{1,9})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlCall:
    """One call of the control interface."""

    method: str
    path: str
    """The path below ``/_sandbox/``."""
    execute: Callable[[Input], object]


CONTROL_CALLS: Final[Mapping[str, ControlCall]] = {
    "advance-clock": ControlCall(method="POST", path="clock", execute=control.advance_clock),
    "set-clock": ControlCall(method="PUT", path="clock", execute=control.set_clock),
    "reset-clock": ControlCall(method="DELETE", path="clock", execute=control.reset_clock),
    "set-fault": ControlCall(method="POST", path="faults", execute=control.set_fault),
    "clear-faults": ControlCall(method="DELETE", path="faults", execute=control.clear_faults),
    "behaviour": ControlCall(method="POST", path="behaviour", execute=control.change_behaviour),
    "wallet": ControlCall(method="POST", path="wallet", execute=control.change_wallet),
    "three-d-secure": ControlCall(
        method="POST", path="three-d-secure/complete", execute=control.complete_authentication
    ),
    "settle": ControlCall(method="POST", path="pending/settle", execute=control.settle_pending),
    "portal": ControlCall(method="POST", path="portal", execute=control.make_portal_follow_up),
    "reset": ControlCall(method="POST", path="reset", execute=control.reset),
}
"""The calls that a button can make, by the name in the button's address."""


def call_body(fields: Mapping[str, str]) -> dict[str, JsonValue]:
    """Return the JSON object of a call from the fields of a form; an empty field counts as absent.

    A name such as ``stateWords.Errored`` is a member of an object, which is sent even if it has no members.
    A text that is no number stays a text, which the call refuses by the field's name.
    """
    body: dict[str, JsonValue] = {}
    members: dict[str, dict[str, JsonValue]] = {}
    for name, text in fields.items():
        outer, _, inner = name.partition(".")
        part = members.setdefault(outer, {}) if inner else body
        if text.strip():
            part[inner or name] = _json_value(name, text.strip())
    return {**body, **members}


def curl_line(name: str, fields: Mapping[str, str], base_url: str) -> str:
    """Return the shell command that makes the same call; it names the variable of the control key."""
    call = CONTROL_CALLS[name]
    body = call_body(fields)
    # curl sends a body with POST unless it is told otherwise.
    parts = ["curl"] if body and call.method == "POST" else ["curl", "-X", call.method]
    if body:
        parts += ["--json", shlex.quote(strict_json.dumps(body).decode())]
    if settings.WALLET_SANDBOX_CONTROL_KEY:
        parts.append('-H "Authorization: Bearer $WALLET_SANDBOX_CONTROL_KEY"')
    return " ".join([*parts, shlex.quote(f"{base_url}/_sandbox/{call.path}")])


def _json_value(name: str, text: str) -> JsonValue:
    if name in NUMBERS and _NUMBER.fullmatch(text):
        return NumberText(text)
    if name in BOOLEANS and text in {"true", "false"}:
        return text == "true"
    return text
