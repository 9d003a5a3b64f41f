"""What ties a wallet payment to one browser: a text kept in its Django session, and known to nobody else.

The session's own key would not do: it changes when a customer logs in, and is the whole session where that is
kept in a cookie.
"""

from __future__ import annotations

import hashlib
import secrets

from django.contrib.sessions.backends.base import SessionBase
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest

NAME = "wallet_gateway"


def binding_of(request: HttpRequest) -> str:
    """Return the text that this browser's session is known by; empty while no button was shown in it."""
    return str(_session(request).get(NAME, ""))


def bind(request: HttpRequest) -> str:
    """Return the text that this browser's session is known by from now on."""
    session = _session(request)
    if NAME not in session:
        if not session.session_key:
            session.create()
        # Made of the key it starts under, so that two tabs at the same moment come to the same text.
        seed = session.session_key or secrets.token_urlsafe(32)
        session[NAME] = hashlib.sha256(f"{NAME}:{seed}".encode()).hexdigest()
    return str(session[NAME])


def _session(request: HttpRequest) -> SessionBase:
    session = getattr(request, "session", None)
    if not isinstance(session, SessionBase):
        raise ImproperlyConfigured("the wallet button needs django.contrib.sessions and its middleware")
    return session
