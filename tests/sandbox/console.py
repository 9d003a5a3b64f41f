"""The forms of a console's page, each with its fields as they are filled in, and how to send one."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

from tests.sandbox.visitor import Page, Visitor

FORM = re.compile(r'<form[^>]* action="/controls/(?P<call>[a-z0-9-]+)/">(?P<inside>.*?)</form>', re.DOTALL)
FIELD = re.compile(r'<input[^>]* name="(?P<name>\w+)"[^>]* value="(?P<value>[^"]*)"')
LIST = re.compile(r'<select[^>]* name="(?P<name>\w+)">(?P<options>.*?)</select>', re.DOTALL)
CHOSEN = re.compile(r'<option value="([^"]*)" selected>')
CHOICE = re.compile(r'<option value="([^"]*)"')


@dataclass(frozen=True)
class Form:
    """One form as its page shows it: the call it makes, its fields, and the choices of its lists."""

    call: str
    fields: dict[str, str]
    choices: dict[str, list[str]]


def forms(page: Page) -> dict[str, Form]:
    """Return every form that makes a call, by the name of the call."""
    return {found["call"]: _form(found["call"], found["inside"]) for found in FORM.finditer(page.html)}


def press(visitor: Visitor, form: Form, **changed: str) -> Page:
    """Send a form as a browser would."""
    fields = form.fields | changed
    return visitor.post(f"/controls/{form.call}/", fields, Origin=visitor.base_url)


def _form(call: str, inside: str) -> Form:
    fields = {found["name"]: html.unescape(found["value"]) for found in FIELD.finditer(inside)}
    choices = {}
    for found in LIST.finditer(inside):
        choices[found["name"]] = CHOICE.findall(found["options"])
        # Without a selected option a browser sends the first.
        (fields[found["name"]], *_) = CHOSEN.findall(found["options"]) or choices[found["name"]]
    return Form(call, fields, choices)
