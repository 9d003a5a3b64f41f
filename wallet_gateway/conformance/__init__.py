"""The conformance kit: runs the interface document against any gateway, statement by statement.

``python -m wallet_gateway.conformance URL``. It uses nothing else of this project, and no Django: its
messages are literals of the document, or it would only find out whether the project agrees with itself.
"""
