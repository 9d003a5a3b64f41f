"""The buttons of a console's page, each with its fields and its curl line, and what it means to press one."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

from tests.sandbox.visitor import Page, Visitor

FORM = re.compile(
    r'<form[^>]* action="/controls/(?P<call>[a-z0-9-]+)/">(?P<inside>.*?)</form>'
    r'(?:\s*<code class="curl"[^>]*>(?P<curl>.*?)</code>)?',
    re.DOTALL,
)
FIELD = re.compile(r'<input[^>]* name="(?P<name>[\w.]+)"[^>]* value="(?P<value>[^"]*)"')
CHOSEN = re.compile(r'<select[^>]* name="(?P<name>\w+)"[^>]*>.*?<option selected>(?P<value>[^<]*)', re.DOTALL)
CURL = re.compile(r'<code class="curl"[^>]*>(.*?)</code>', re.DOTALL)
LABEL = re.compile(r"<button[^>]*>([^<]*)")


@dataclass(frozen=True)
class Control:
    """One button as its page shows it."""

    label: str
    call: str
    fields: dict[str, str]
    curl: str
    is_in_force: bool

    def __str__(self) -> str:
        return self.label


def controls(page: Page) -> list[Control]:
    """Every button that makes a call, in the order of the page."""
    return [_control(found) for found in FORM.finditer(page.html)]


def press(visitor: Visitor, control: Control, **changed: str) -> Page:
    """Send a button's form as a browser would."""
    fields = control.fields | changed
    return visitor.post(f"/controls/{control.call}/", fields, Origin=visitor.base_url)


def _control(form: re.Match[str]) -> Control:
    inside = form["inside"]
    fields = {found["name"]: html.unescape(found["value"]) for found in FIELD.finditer(inside)}
    fields |= {found["name"]: html.unescape(found["value"]) for found in CHOSEN.finditer(inside)}
    (curl,) = CURL.findall(inside) or [form["curl"] or ""]
    label = LABEL.search(inside)
    assert label
    return Control(label[1].strip(), form["call"], fields, html.unescape(curl), "aria-current" in inside)
