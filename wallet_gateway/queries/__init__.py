"""Reads: what pages, admin and exports show. No effect, no network."""
