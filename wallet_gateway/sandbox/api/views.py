"""The door of the API: everything under ``/api/``, whatever the method and the path.

The API in one function: a request is noted, hit by a fault if one is set, and answered.
"""

from __future__ import annotations

from dataclasses import replace

from django.http import HttpRequest, HttpResponse

from wallet_gateway.sandbox.api import journal
from wallet_gateway.sandbox.api.cors import answer_headers, is_preflight, preflight_headers
from wallet_gateway.sandbox.api.exchange import DROPPED, Exchange, Reply
from wallet_gateway.sandbox.api.fault_injection import BREAKING
from wallet_gateway.sandbox.api.faults import FaultKind, take_fault
from wallet_gateway.sandbox.api.request_parser import Received, understand
from wallet_gateway.sandbox.server.delivery import KEY, Delivery, Manner, PauseCalledOff
from wallet_gateway.sandbox.state import current_conditions


def answer(request: HttpRequest) -> HttpResponse:
    """Answer one request of a merchant."""
    reply = receive(
        Received(
            method=request.method or "",
            path=request.path_info,
            raw_query=request.META.get("QUERY_STRING", ""),
            content_type=request.META.get("CONTENT_TYPE", ""),
            body=request.body,
            base_url=f"{request.scheme}://{request.get_host()}",
            authorization=request.headers.get("Authorization", ""),
            origin=request.headers.get("Origin"),
        )
    )
    _order(request.META.get(KEY, Delivery()), reply)
    return HttpResponse(
        reply.body, status=reply.status, content_type=reply.content_type, headers=dict(reply.headers)
    )


def _order(delivery: Delivery, reply: Reply) -> None:
    delivery.manner = reply.manner
    delivery.drip_seconds = reply.drip_seconds


def receive(received: Received) -> Reply:
    """Answer a request under ``/api/``."""
    if is_preflight(received):
        # The browser's own question: no merchant sent it, so no fault and no journal waits for it.
        return Reply(status=204, headers=preflight_headers(received))
    asked = understand(received)
    conditions = current_conditions()
    fault = take_fault(asked.operation)
    entry = journal.open_entry(received, asked, fault=fault.fault if fault else "", now=conditions.now)
    exchange = Exchange(received=received, asked=asked, conditions=conditions)
    try:
        reply = BREAKING[FaultKind(fault.fault)](exchange, fault) if fault else exchange.reply()
    except PauseCalledOff:
        return DROPPED
    if reply.manner is not Manner.DROPPED:
        journal.close_entry(entry, status=reply.status, body=reply.body)
    return replace(reply, headers=(*reply.headers, *answer_headers(received, asked)))
