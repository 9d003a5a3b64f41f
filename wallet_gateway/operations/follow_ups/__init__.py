"""Capture, refund and reverse a payment, refund a migrated deposit: record the transaction, then send it."""
