"""Verbs: everything that changes a row or speaks to the gateway, callable from every door.

An operation takes values by keyword, the gateway, its policy and the clock among them. It knows no request,
no settings and no serializer. Every write has three steps, and the network is never inside a database
transaction: record the intent and commit, call the gateway, record the evidence and commit.
"""
