"""Template tags, and the plain functions that they call.

`wallet_gateway` is the tag library of shops; `wallet_admin` is for our own pages of the admin. Rendering
never calls the gateway.
"""
