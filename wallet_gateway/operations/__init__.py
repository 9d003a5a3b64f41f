"""Use cases: everything that changes a row or calls the gateway, callable from every interface.

An operation takes values by keyword, the gateway, its policy and the clock among them. It knows no request,
no settings and no serializer. Every write has three steps, and the network is never inside a database
transaction: record what is to be sent and commit, call the gateway, record the result and commit.
"""
