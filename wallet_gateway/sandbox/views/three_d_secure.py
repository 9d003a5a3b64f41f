"""The 3-D Secure page: where a customer whose card is not tokenized says who they are.

A door only, like ``hosted_page``, whose frame it shares. The request has no language and no skin, so the
browser's language counts; ``?language=`` and ``?skinId=`` change them, for whoever wants to see another.
"""

from __future__ import annotations

import math
from http import HTTPStatus
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.utils.encoding import iri_to_uri
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from wallet_gateway.sandbox.engine.three_d_secure import check_open, decide_authentication
from wallet_gateway.sandbox.engine.wallet_refusals import AuthenticationExpired, AuthenticationUsedUp
from wallet_gateway.sandbox.models import Authentication, AuthenticationOutcome
from wallet_gateway.sandbox.pages.checkout import page_skin
from wallet_gateway.sandbox.pages.headers import secured
from wallet_gateway.sandbox.pages.languages import browser_language, page_language
from wallet_gateway.sandbox.pages.number_format import amount_text
from wallet_gateway.sandbox.state import current_conditions
from wallet_gateway.sandbox.views.hosted_page import page, unknown_link

_CLOSED_BECAUSE: Final = {AuthenticationUsedUp: "decided", AuthenticationExpired: "expired"}


# As for the checkout page: the unguessable link is the whole right to decide.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def show(request: HttpRequest, token: str) -> HttpResponse:
    """Show the page behind a link, or leave it; 410 once that is over, 404 where there is none."""
    authentication = (
        Authentication.objects.select_related("record__merchant", "record__account")
        .filter(token=token)
        .first()
    )
    if authentication is None:
        return unknown_link(request)
    try:
        if request.method == "POST":
            return _decide(request, authentication)
        check_open(authentication, now=current_conditions().now)
    except (AuthenticationUsedUp, AuthenticationExpired) as refusal:
        return _show(request, authentication, status=HTTPStatus.GONE, closed=_CLOSED_BECAUSE[type(refusal)])
    return _show(request, authentication, status=HTTPStatus.OK)


def _decide(request: HttpRequest, authentication: Authentication) -> HttpResponse:
    outcome = request.POST.get("outcome", "")
    if outcome not in AuthenticationOutcome.values:
        check_open(authentication, now=current_conditions().now)
        return _show(request, authentication, status=HTTPStatus.BAD_REQUEST)
    location = iri_to_uri(decide_authentication(authentication, outcome))
    return secured(HttpResponse(status=HTTPStatus.SEE_OTHER, headers={"Location": location}))


def _show(
    request: HttpRequest, authentication: Authentication, *, status: HTTPStatus, closed: str = ""
) -> HttpResponse:
    asked = request.GET.get("language")
    language = page_language(asked) if asked else browser_language(request.headers.get("Accept-Language", ""))
    record = authentication.record
    left = authentication.expires_at - current_conditions().now
    context: dict[str, Any] = {
        "amount": amount_text(record.amount, language),
        "currency": record.currency,
        "plain_amount": record.amount.to_wire(),
        "reference": record.reference,
        "account": record.account,
        "merchant_name": record.merchant.merchant_id,
        "expires_at": authentication.expires_at,
        "seconds_left": math.ceil(left.total_seconds()),
        "nothing_chosen": status == HTTPStatus.BAD_REQUEST,
        "closed": closed,
        "shop_url": authentication.redirect_details["returnUrl"],
    }
    return page(
        request,
        f"wallet_sandbox/three_d_secure{'_closed' if closed else ''}.html",
        context,
        language=language,
        skin=page_skin(request.GET.get("skinId")),
        status=status,
        form_targets=() if closed else authentication.redirect_details.values(),
    )
