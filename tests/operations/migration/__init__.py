"""Deposits of an earlier provider."""
