"""The customer's views: to the payment page, back from it, and the result of the payment.

Each makes one call into `payments` and shows the page for the returned state. None reads a parameter, a
session or a user: the token in the address is the only input. It gives access only to one order's state,
number and amount, for a day after the payment also to its goods and the card's last digits, and to a page of
the gateway that is still open.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from http import HTTPStatus

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from wallet_gateway import conf, fetch_metadata, gateways, payments, return_tokens
from wallet_gateway.models import Payment, PaymentOrder
from wallet_gateway.models.maintenance import is_test_row
from wallet_gateway.reports.attempts import is_being_opened, open_page
from wallet_gateway.return_tokens import BadReturnToken, ReturnToken
from wallet_gateway.web import pages
from wallet_gateway.web.pages import PageKind, ResultPage
from wallet_gateway.web.security import allow_payment, render_page, token_page

logger = logging.getLogger("wallet_gateway.checkout")

_SECONDS_BETWEEN_LOOKS = 1


@token_page
@require_safe
def pay(request: HttpRequest, token: str) -> HttpResponse:
    """Show the wallet button of an order and the form beside it, without a call to the gateway."""
    order = _order(token)
    if not order.is_payable:
        tried = pages.latest_token(order)
        kind = pages.kind_without_payment(order)
        return _result_of(tried) if tried else _order_page(request, order, kind, token="")
    return _order_page(request, order, PageKind.PAY, token="")


# It makes the check itself: a customer whose page is out of date gets the same order with a new token.
@csrf_exempt
@token_page
@require_http_methods(["GET", "HEAD", "POST"])
def checkout(request: HttpRequest, token: str) -> HttpResponse:
    """Open the payment page of an order and send the customer there; a GET leads to the order's own page."""
    order = _order(token)
    if request.method != "POST":
        return _see_other(reverse("wallet_gateway:pay", args=[token]))
    if fetch_metadata.is_from_another_site(request) or not fetch_metadata.passes_csrf_check(request):
        kind = PageKind.STALE if order.is_payable else pages.kind_without_payment(order)
        tried = "" if order.is_payable else pages.latest_token(order)
        return _order_page(request, order, kind, token=tried, status=HTTPStatus.FORBIDDEN)
    if gateways.awaits_missing_gateway(order):
        return _order_page(request, order, PageKind.PENDING, token=pages.latest_token(order))
    _warn_of_other_origin(request)
    try:
        return _see_other(payments.start_checkout(order).redirect_url)
    except payments.errors.OrderNotPayable as error:
        # Something happened to it since it was read.
        order.refresh_from_db()
        kind, status = pages.kind_without_payment(order), error.status
    except payments.errors.TryAgain:
        return _see_other(reverse("wallet_gateway:opening", args=[token]))
    except payments.errors.OperationError as error:
        kind, status = PageKind.CHECKOUT_UNAVAILABLE, error.status
    return _order_page(request, order, kind, token=pages.latest_token(order), status=status)


@token_page
@require_safe
def opening(request: HttpRequest, token: str) -> HttpResponse:
    """Send the customer to the payment page that another click is opening; until then, ask to come again.

    It calls no gateway and waits for nothing, so a slow gateway holds no worker here.
    """
    order, now = _order(token), gateways.clock().now()
    if not order.is_payable or gateways.awaits_missing_gateway(order):
        kind = pages.kind_without_payment(order)
        return _order_page(request, order, kind, token=pages.latest_token(order))
    if address := open_page(order, now):
        return _see_other(address)
    if not is_being_opened(order, now):
        return _order_page(request, order, PageKind.CHECKOUT_UNAVAILABLE, token=pages.latest_token(order))
    response = _order_page(request, order, PageKind.OPENING, token="")
    response["Refresh"] = str(_SECONDS_BETWEEN_LOOKS)
    return response


# Exempt from CSRF protection: the gateway's page may send the browser here by a form, without any cookie.
@csrf_exempt
@token_page
@require_http_methods(["GET", "HEAD", "POST"])
def return_view(request: HttpRequest, token: str) -> HttpResponse:
    """Receive a browser from the gateway: query the payment's status, and redirect to the matching page.

    A POST from another site comes without the session cookie, and using the session here would replace it; it
    is redirected to the GET of the same address, to which the browser sends its cookies.
    """
    _attempt(token, query=request.method == "GET")
    if request.method == "POST":
        return _see_other(reverse("wallet_gateway:return", args=[token]))
    return _result_of(token)


@token_page
@require_safe
def result(request: HttpRequest, token: str) -> HttpResponse:
    """Show the result of an attempt to pay, by the order's state.

    A customer who has paid is sent on to the shop's own page where the order wants that.
    """
    attempt, read = _attempt(token, query=request.method == "GET")
    if read.expired:
        page = ResultPage(kind=PageKind.LINK_EXPIRED)
        return render_page(request, page.template, page=page, order=None)
    order = attempt.order
    kind = pages.page_for(order, attempt, read.outcome)
    if thanks := pages.thank_you_url(order, kind, origins=conf.shop_origins(order.gateway)):
        return _see_other(thanks)
    bank_url = pages.bank_page(attempt, read.outcome, gateways.clock().now())
    return _order_page(request, order, kind, token=token, bank_url=bank_url, attempt=attempt)


def _order(token: str) -> PaymentOrder:
    try:
        return payments.orders.get_order_by_token(token)
    except PaymentOrder.DoesNotExist as fault:
        raise Http404("no such order") from fault


def _attempt(token: str, *, query: bool) -> tuple[Payment, ReturnToken]:
    """Return the attempt of a return token; with `query` as the gateway knows it now.

    Only a page that lost its way to the shop has led a customer here who still waits for a wallet's result.
    So the attempt is closed, before anything is said about it.
    """
    find = payments.orders.reconcile_attempt if query else payments.orders.attempt_for
    try:
        read = return_tokens.read(token)
        attempt = find(read.reference)
    except (BadReturnToken, Payment.DoesNotExist) as fault:
        raise Http404("no such link") from fault
    return (payments.wallet.abandon(attempt) if query else attempt), read


def _result_of(token: str) -> HttpResponseRedirect:
    return _see_other(reverse("wallet_gateway:result", args=[token]))


def _see_other(url: str) -> HttpResponseRedirect:
    """Answer 303: whatever the method was, the next request is a GET."""
    return HttpResponseRedirect(url, status=HTTPStatus.SEE_OTHER)


def _order_page(
    request: HttpRequest,
    order: PaymentOrder,
    kind: PageKind,
    *,
    token: str,
    status: int = HTTPStatus.OK,
    bank_url: str = "",
    attempt: Payment | None = None,
) -> HttpResponse:
    given, now = conf.find_gateway(order.gateway), gateways.clock().now()
    if gateways.awaits_missing_gateway(order):
        kind, token = PageKind.PENDING, token or pages.latest_token(order)
    page = ResultPage(
        kind=kind,
        order=order,
        token=token,
        continue_url=pages.safe_continue_url(order.continue_url, origins=conf.shop_origins(order.gateway)),
        has_wallet=given is not None and given.wallet is not None and not order.is_wallet_closed,
        receipt=pages.receipt_for(order, kind, now),
        mails_result=pages.mails_result(order, kind),
        reopens=kind is PageKind.UNDECIDED and bool(open_page(order, now)),
        bank_url=bank_url,
    )
    # What the customer pays next has the mode of today.
    is_new = page.offers_payment
    is_test = gateways.is_test(order.gateway) if is_new else is_test_row(attempt or order, gateways.is_test)
    page = replace(page, is_test=is_test)
    response = render_page(request, page.template, status, page=page, order=order)
    if page.offers_payment:
        # Raises where there is none: nothing was begun there, and nothing can be.
        given = conf.gateway_settings(order.gateway)
        wallet = given.wallet if page.offers_wallet else None
        allow_payment(request, response, policy=given.policy, wallet=wallet)
    return response


def _warn_of_other_origin(request: HttpRequest) -> None:
    """Log at level WARNING that a request came to another origin than the one assumed.

    While `DEBUG` is on and nothing is set, the return address is a guess. With `runserver 8080` it is wrong,
    and a customer who has paid stands on a page that refuses to connect.
    """
    seen, assumed = f"{request.scheme}://{request.get_host()}", conf.settings().public_origin
    if conf.is_origin_assumed() and seen != assumed:
        text = (
            "this page was opened at %(seen)s, but a customer who has paid comes back to %(assumed)s: start "
            "the shop there, or set WALLET_GATEWAY['PUBLIC_ORIGIN'] to %(seen)r, and with it GATEWAYS"
        )
        logger.warning(text, {"seen": seen, "assumed": assumed})
