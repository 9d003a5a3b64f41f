"""A shop under chaos: worker processes, a faulty sandbox, kills, and both ledgers compared at the end.

Run it as ``python -m proof.chaos``. Nothing in here reads the
settings or the database of a project: a run makes its own.
"""
