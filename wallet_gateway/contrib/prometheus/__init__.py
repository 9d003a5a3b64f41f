"""Prometheus metrics: this process's calls to gateways, and the payments in the database.

Add `"wallet_gateway.contrib.prometheus"` to `INSTALLED_APPS` in the shop's settings, and to its URLs::

    path("metrics", wallet_gateway.contrib.prometheus.views.metrics)

Needs the extra `django-wallet-gateway[prometheus]`.
"""
