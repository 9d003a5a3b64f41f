"""The payment service's interface: from the raw HTTP request to the JSON answer.

Here: parsing, dispatch to the operations, CORS, the journal, and faults that tests inject. Not here: what a
request does to payments (``payments``, ``wallet``) and how a broken answer leaves the socket (``server``).
"""
