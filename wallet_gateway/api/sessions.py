"""The binding of a wallet payment to one browser: a secret text in its Django session.

The session's own key is not suitable: it changes when a customer logs in, and with cookie-based sessions it
is the whole session.
"""

from __future__ import annotations

import hashlib
import secrets

from django.contrib.sessions.backends.base import SessionBase
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest

NAME = "wallet_gateway"


def binding_of(request: HttpRequest) -> str:
    """Return the binding of this browser's session; empty if no button was shown in it."""
    return str(_session(request).get(NAME, ""))


def bind(request: HttpRequest) -> str:
    """Return the binding of this browser's session, created if missing."""
    session = _session(request)
    if NAME not in session:
        if not session.session_key:
            session.create()
        # Derived from the initial session key, so that two tabs at the same moment get the same text.
        seed = session.session_key or secrets.token_urlsafe(32)
        session[NAME] = hashlib.sha256(f"{NAME}:{seed}".encode()).hexdigest()
    return str(session[NAME])


def _session(request: HttpRequest) -> SessionBase:
    session = getattr(request, "session", None)
    if not isinstance(session, SessionBase):
        raise ImproperlyConfigured("the wallet button needs django.contrib.sessions and its middleware")
    return session
