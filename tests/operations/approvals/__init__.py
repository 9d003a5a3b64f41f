"""Decisions of people."""
