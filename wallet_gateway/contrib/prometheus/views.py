"""The view that Prometheus scrapes, for a shop that has none; same access control as the health view."""

from __future__ import annotations

import os
from http import HTTPStatus

from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import ImproperlyConfigured
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import REGISTRY, CollectorRegistry
from prometheus_client.exposition import choose_encoder
from prometheus_client.multiprocess import MultiProcessCollector

from wallet_gateway.contrib.prometheus.rows import RowCollector
from wallet_gateway.findings import Code, error
from wallet_gateway.web.health import has_access


@login_not_required
@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Return all metrics of this process, or of all processes that share a directory; 404 without access.

    503 while the settings are invalid, because no token can be checked then.
    """
    try:
        known = has_access(request)
    except ImproperlyConfigured:
        words = error(Code.NOT_CONFIGURED, "settings").text
        return HttpResponse(words, content_type="text/plain", status=HTTPStatus.SERVICE_UNAVAILABLE)
    if not known:
        raise Http404("no such page")
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
