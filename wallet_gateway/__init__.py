"""Wallet payments for Django shops.

A shop's own code has one import, ``from wallet_gateway import payments``. This module imports nothing, so
that installing the app costs nothing before Django is ready.
"""

__version__ = "0.1.0"
