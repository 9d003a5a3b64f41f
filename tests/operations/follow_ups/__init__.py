"""Capture, refund, reversal and detached refund."""
