"""The health view: the state of payments, for a monitor with the token or a person with the permission."""

from __future__ import annotations

import hmac
from dataclasses import asdict
from http import HTTPStatus

from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import ImproperlyConfigured
from django.http import Http404, HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from wallet_gateway import conf
from wallet_gateway.findings import Code, error
from wallet_gateway.models.decisions import VIEW_HEALTH
from wallet_gateway.payments import maintenance


@login_not_required
@never_cache
@require_safe
def health(request: HttpRequest) -> JsonResponse:
    """Answer 200 if nothing needs attention, otherwise 503; 404 to a caller without access.

    While the settings are wrong, no token can be compared: every caller gets that answer, and nothing else.
    """
    try:
        allowed = has_access(request)
    except ImproperlyConfigured:
        problem = error(Code.NOT_CONFIGURED, "settings")
        return JsonResponse({"problems": [problem.as_dict()]}, status=HTTPStatus.SERVICE_UNAVAILABLE)
    if not allowed:
        raise Http404("no such page")
    found = maintenance.health()
    body = asdict(found) | {"problems": [problem.as_dict() for problem in found.problems]}
    body["swept_at"], body["queries_behind"] = dict(found.swept_at), dict(found.queries_behind)
    body["wrong_accounts"] = dict(found.wrong_accounts)
    # Who stopped sending, and the comment, are only for people with access to the dashboard.
    body["pauses"] = [{"gateway": pause.gateway, "until": pause.until} for pause in found.pauses]
    status = HTTPStatus.SERVICE_UNAVAILABLE if found.problems else HTTPStatus.OK
    return JsonResponse(body, status=status)


def has_access(request: HttpRequest) -> bool:
    """Return whether a request has the monitors' token, or comes from a person with the permission.

    Raises `ImproperlyConfigured` while the settings are wrong.
    """
    expected, given = conf.settings().health_token, request.headers.get("Authorization", "")
    if expected and hmac.compare_digest(given.encode(), f"Bearer {expected}".encode()):
        return True
    user = getattr(request, "user", None)
    return user is not None and user.has_perm(VIEW_HEALTH)
