"""The API in one function: a request is noted, hit by a fault if one is set, and answered."""

from __future__ import annotations

from dataclasses import replace

from wallet_gateway.sandbox import journal
from wallet_gateway.sandbox.cancellable_sleep import PauseCalledOff
from wallet_gateway.sandbox.cors import answer_headers, is_preflight, preflight_headers
from wallet_gateway.sandbox.exchange import DROPPED, Exchange, Reply
from wallet_gateway.sandbox.fault_injection import BREAKING
from wallet_gateway.sandbox.faults import FaultKind, take_fault
from wallet_gateway.sandbox.request_parser import Received, understand
from wallet_gateway.sandbox.server.delivery import Manner
from wallet_gateway.sandbox.state import current_conditions


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
