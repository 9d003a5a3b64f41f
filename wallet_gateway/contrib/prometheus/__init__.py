"""Metrics for Prometheus: calls to gateways as this process made them, and payments as the rows say.

In the shop's settings `"wallet_gateway.contrib.prometheus"` among the `INSTALLED_APPS`, in its URLs::

    path("metrics", wallet_gateway.contrib.prometheus.views.metrics)

Needs the extra `django-wallet-gateway[prometheus]`.
"""
