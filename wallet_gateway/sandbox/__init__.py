"""The sandbox gateway: the whole payment service, running on the developer's own machine.

It is the other party. It shares only the wire contract (``wallet_gateway.protocol``) with the merchant app.
Neither side imports the other, so an error in one implementation cannot hide the same error in the other.

Packages, from the top: ``console``, ``control`` and ``hosted`` (interfaces for people and tests), ``api``
(the service's interface), ``wallet`` and ``payments`` (what a request does), ``pages`` (what all HTML pages
share), ``models`` (rows) and ``server`` (HTTP). An import-linter contract keeps imports pointing down. Each
view is in the ``views`` module of its package.

Start it with ``python -m wallet_gateway.sandbox``, for development and tests; never on the open net.
"""
