"""The client of the gateway's interface.

It tells what happened to a request: not sent, answered, refused, outcome unknown. It never repeats a request,
keeps no state of payments, reads no settings and imports no Django, so it can be used from a plain shell. The
meaning of an answer for a payment is decided elsewhere.

`gateway` has the operations. `transport` carries one request, through requests' adapter in `connection`.
`exchange` has the values of a call, `errors` what is known when it fails; `redaction` makes both fit to keep.
"""
