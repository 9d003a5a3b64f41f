"""Histories of a shop at gateways that speak differently: other words, ids, amounts, orders, references."""
