"""The template tag that writes a button's control call as a curl line."""

from __future__ import annotations

from typing import Any

from django import template
from django.template import Context

from wallet_gateway.sandbox.console import control_calls
from wallet_gateway.sandbox.console.buttons import Button, CallForm

register = template.Library()


@register.simple_tag(takes_context=True)
def curl_line(context: Context, button: Button | CallForm) -> str:
    """Return the shell command that does the same as the button, under the address of this page."""
    base_url: Any = context["base_url"]
    return control_calls.curl_line(button.call, button.fields, str(base_url))
