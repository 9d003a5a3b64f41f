"""Template tags, and the plain functions that they call.

Only `wallet_gateway` is a tag library. Rendering never calls the gateway.
"""
