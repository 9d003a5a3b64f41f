"""OpenTelemetry traces: a span for each call to a gateway, as a child of the shop's current span.

Add `"wallet_gateway.contrib.opentelemetry"` to `INSTALLED_APPS` in the shop's settings. The shop configures
exporters and sampling; without an SDK nothing is recorded.

Needs the extra `django-wallet-gateway[opentelemetry]`.
"""
