"""Asking the gateway, and what its answers change."""
