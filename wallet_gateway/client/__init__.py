"""The hand that speaks HTTP to the gateway.

Knows what happened on the wire: nothing left, refused, unknown. It never repeats a request, keeps no state of
payments, reads no settings and imports no Django, so it can be used from a shell. What an answer means for a
payment is decided elsewhere.
"""
