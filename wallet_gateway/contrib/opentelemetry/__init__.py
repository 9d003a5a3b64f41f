"""Traces by OpenTelemetry: a span for each call to a gateway, under whatever span the shop is in.

In the shop's settings `"wallet_gateway.contrib.opentelemetry"` among the `INSTALLED_APPS`. Exporters and
sampling are the shop's own; without an SDK nothing is recorded.

Needs the extra `django-wallet-gateway[opentelemetry]`.
"""
