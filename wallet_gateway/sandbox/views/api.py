"""The door of the API: everything under ``/api/``, whatever the method and the path."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from wallet_gateway.sandbox.dispatch import receive
from wallet_gateway.sandbox.exchange import Reply
from wallet_gateway.sandbox.request_parser import Received
from wallet_gateway.sandbox.server.delivery import KEY, Delivery


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
