"""The sandbox gateway: the whole payment service, running on the developer's own machine.

It is the other party. It shares only the wire contract (``wallet_gateway.protocol``) with the merchant app.
Neither side imports the other, so an error in one implementation cannot hide the same error in the other.

From the top: ``console``, ``control``, ``hosted`` and ``wallet`` (interfaces for people and tests), ``api``
(the service's interface), ``checkouts``, ``follow_ups`` and ``authorizations`` (what a request does),
``records`` (what the provider decides and reports), ``models`` (rows) and ``server`` (HTTP).

Start it with ``python -m wallet_gateway.sandbox``, for development and tests; never on the open net.
"""
