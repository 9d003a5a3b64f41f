"""Tests of the wire language: no database, no network, no clock."""
