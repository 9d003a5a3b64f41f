"""A shop under chaos: worker processes, a faulty sandbox, kills, and both ledgers compared at the end.

Run it as ``manage.py wallet_chaos`` or ``python -m wallet_gateway.testing.chaos``. Nothing in here reads the
settings or the database of a project: a run makes its own.
"""
