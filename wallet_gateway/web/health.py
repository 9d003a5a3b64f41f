"""The health view: the state of payments, for a monitor with the token or a person with the permission."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from dataclasses import asdict
from functools import wraps
from http import HTTPStatus

from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import ImproperlyConfigured
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from wallet_gateway import conf
from wallet_gateway.findings import Code, error
from wallet_gateway.models.decisions import VIEW_HEALTH
from wallet_gateway.payments import maintenance


def for_monitors(view: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Show a view to a monitor with the token and to a person with the permission; to others it is not there.

    While the settings are wrong, no token can be compared: every caller is answered 503, and nothing else.
    """

    @login_not_required
    @never_cache
    @require_safe
    @wraps(view)
    def answer(request: HttpRequest) -> HttpResponse:
        try:
            expected, given = conf.settings().health_token, request.headers.get("Authorization", "")
        except ImproperlyConfigured:
            problem = error(Code.NOT_CONFIGURED, "settings")
            return JsonResponse({"problems": [problem.as_dict()]}, status=HTTPStatus.SERVICE_UNAVAILABLE)
        has_token = expected and hmac.compare_digest(given.encode(), f"Bearer {expected}".encode())
        user = getattr(request, "user", None)
        if not has_token and (user is None or not user.has_perm(VIEW_HEALTH)):
            raise Http404("no such page")
        return view(request)

    return answer


@for_monitors
def health(_request: HttpRequest) -> JsonResponse:
    """Answer 200 if nothing needs attention, otherwise 503; 404 to a caller without access."""
    found = maintenance.health()
    body = asdict(found) | {"problems": [problem.as_dict() for problem in found.problems]}
    body["swept_at"], body["queries_behind"] = dict(found.swept_at), dict(found.queries_behind)
    body["wrong_accounts"] = dict(found.wrong_accounts)
    # Who stopped sending, and the comment, are only for people with access to the dashboard.
    body["pauses"] = [{"gateway": pause.gateway, "until": pause.until} for pause in found.pauses]
    status = HTTPStatus.SERVICE_UNAVAILABLE if found.problems else HTTPStatus.OK
    return JsonResponse(body, status=status)
