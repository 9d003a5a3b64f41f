"""What ties a payment to one browser: the same for two tabs, another for every session, kept over a login."""

from __future__ import annotations

import pytest
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.backends.db import SessionStore
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest

from wallet_gateway.api.base import NAME, bind, binding_for

pytestmark = pytest.mark.django_db


def a_request(session: SessionBase | None) -> HttpRequest:
    request = HttpRequest()
    if session is not None:
        request.session = session
    return request


def bound(request: HttpRequest) -> str:
    """Bind a browser as the view does that shows it a button."""
    binding = binding_for(request)
    bind(request, binding)
    return binding


def test_what_a_browser_would_be_bound_to_is_not_stored() -> None:
    session = SessionStore()
    binding_for(a_request(session))
    assert (session.session_key, session.modified) == (None, False)


def test_two_tabs_at_the_same_moment_come_to_the_same_binding() -> None:
    session = SessionStore()
    session.create()
    one, other = (a_request(SessionStore(session.session_key)) for _ in range(2))
    assert binding_for(one) == binding_for(other)


def test_a_binding_survives_the_new_key_of_a_login() -> None:
    session = SessionStore()
    session.create()
    request = a_request(session)
    first, key = bound(request), session.session_key
    session.cycle_key()
    assert session.session_key != key
    assert bound(request) == first


def test_a_binding_does_not_tell_the_sessions_key() -> None:
    session = SessionStore()
    session.create()
    assert (bound(a_request(session)), NAME in session) != (session.session_key, False)
    assert str(session.session_key) not in str(session[NAME])


def test_a_project_without_sessions_is_told_what_is_missing() -> None:
    with pytest.raises(ImproperlyConfigured, match="sessions"):
        binding_for(a_request(None))
