"""The elements by which a page brings our stylesheets and scripts. Which page needs which, its template says.

Nothing of ours is inline, so a strict content security policy needs no exception for us. Where a policy
admits by nonce, the nonce that the project's middleware made for this request is on every element.
"""

from __future__ import annotations

from django.forms.utils import flatatt
from django.template import Context
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString


def stylesheet(name: str, *, nonce: str | None = None) -> SafeString:
    """Return the link to one of our stylesheets; in the body it holds back what comes after it."""
    attributes = {"rel": "stylesheet", "href": static(f"wallet_gateway/{name}.css"), "nonce": nonce}
    return format_html("<link{}>", flatatt(attributes))


def script(name: str, *, nonce: str | None = None) -> SafeString:
    """Return the script element of one of our modules."""
    attributes = {"type": "module", "src": static(f"wallet_gateway/{name}.js"), "nonce": nonce}
    return format_html("<script{}></script>", flatatt(attributes))


def nonce_of(context: Context) -> str | None:
    """Return the nonce of the page being rendered, Django's or django-csp's; None if there is none."""
    nonce = context.get("csp_nonce")
    if nonce is None:
        nonce = getattr(context.get("request"), "csp_nonce", None)
    # Never asked whether it is true: Django's nonce is lazy, and false until it has been read.
    return None if nonce is None else str(nonce)
