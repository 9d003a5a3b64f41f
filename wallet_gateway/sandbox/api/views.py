"""The API's view: journal a request, apply a fault if one is set, and answer."""

from __future__ import annotations

from dataclasses import replace

from django.http import HttpRequest, HttpResponse

from wallet_gateway.sandbox.api import journal
from wallet_gateway.sandbox.api.cors import cors_headers, is_preflight, preflight_headers
from wallet_gateway.sandbox.api.delayed_requests import execute_due_requests
from wallet_gateway.sandbox.api.exchange import DROPPED, Exchange, Reply
from wallet_gateway.sandbox.api.fault_injection import answer_with_fault
from wallet_gateway.sandbox.api.faults import take_fault
from wallet_gateway.sandbox.api.request_parser import RawRequest, parse_request
from wallet_gateway.sandbox.server.delivery import ENVIRON_KEY, Delivery, DeliveryMode, SleepCancelled


def answer(request: HttpRequest) -> HttpResponse:
    """Answer any request under ``/api/``, whatever its method and path."""
    reply = dispatch(
        RawRequest(
            method=request.method or "",
            path=request.path_info,
            raw_query=request.META.get("QUERY_STRING", ""),
            content_type=request.META.get("CONTENT_TYPE", ""),
            body=request.body,
            base_url=f"{request.scheme}://{request.get_host()}",
            authorization=request.META.get("HTTP_AUTHORIZATION", ""),
            origin=request.META.get("HTTP_ORIGIN"),
        )
    )
    delivery = request.META.get(ENVIRON_KEY, Delivery())
    delivery.mode, delivery.drip_seconds = reply.mode, reply.drip_seconds
    return HttpResponse(
        reply.body, status=reply.status, content_type=reply.content_type, headers=dict(reply.headers)
    )


def dispatch(raw: RawRequest) -> Reply:
    """Process a request under ``/api/`` and return the reply."""
    if is_preflight(raw):
        # The preflight comes from the browser, not from the merchant: it is not journalled and hits no fault.
        return Reply(status=204, headers=preflight_headers(raw))
    conditions = execute_due_requests()
    parsed = parse_request(raw)
    fault = take_fault(parsed.operation, conditions)
    entry = journal.open_entry(raw, parsed, fault=fault.fault if fault else "", now=conditions.now)
    exchange = Exchange(raw=raw, parsed=parsed, conditions=conditions)
    try:
        reply = answer_with_fault(exchange, fault) if fault else exchange.reply()
    except SleepCancelled:
        return DROPPED
    if reply.mode is not DeliveryMode.DROPPED:
        journal.close_entry(entry, status=reply.status, body=reply.body)
    return replace(reply, headers=(*reply.headers, *cors_headers(raw, parsed)))
