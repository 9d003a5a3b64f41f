"""Migrations of the sandbox tables."""
