"""Use cases: everything that changes a row or calls the gateway, callable from every interface.

An operation takes values by keyword, including the gateway, its policy and the clock. It does not know HTTP
requests, settings or serializers. Every write has three steps, and the network is never inside a database
transaction: record the request and commit, call the gateway, record the result and commit.
"""
