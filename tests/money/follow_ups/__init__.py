"""Captures, refunds and reversals of a payment, and refunds of what another provider took."""
