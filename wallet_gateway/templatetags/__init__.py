"""What templates may use: the tags, and beside them the plain functions they are shells over.

Only `wallet_gateway` is a tag library. Rendering asks nobody anything.
"""
