"""Periodic and occasional tasks: sweep, retention, authorization expiry, ledger comparison."""
