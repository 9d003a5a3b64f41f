"""The view that Prometheus scrapes, for a shop that has none; same access control as the health view."""

from __future__ import annotations

import os

from django.http import HttpRequest, HttpResponse
from prometheus_client import REGISTRY, CollectorRegistry
from prometheus_client.exposition import choose_encoder
from prometheus_client.multiprocess import MultiProcessCollector

from wallet_gateway.contrib.prometheus.rows import RowCollector
from wallet_gateway.web.health import for_monitors


@for_monitors
def metrics(request: HttpRequest) -> HttpResponse:
    """Return all metrics of this process, or of all processes that share a directory; 404 without access."""
    encode, content_type = choose_encoder(request.headers.get("Accept", ""))
    return HttpResponse(encode(_registry()), content_type=content_type)


def _registry() -> CollectorRegistry:
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return REGISTRY
    # Process metrics come from the shared files; the rows are the same for all processes and are read once.
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    registry.register(RowCollector())
    return registry
