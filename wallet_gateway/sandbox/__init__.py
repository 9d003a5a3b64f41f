"""The sandbox gateway: the whole payment service, running on the developer's own machine.

It is the other party. It shares the language of the wire with the merchant app (``wallet_gateway.protocol``)
and nothing else: no merchant module is imported here, and no merchant module imports this one, so that a
misreading on one side cannot be cancelled out by the same misreading on the other.

Start it with ``python -m wallet_gateway.sandbox``.
"""
