"""The sandbox's HTTP server: sockets, threads and the way an answer leaves them.

It knows nothing of payments. The application behind it is any WSGI application; one that wants an answer to
arrive broken says so through the ``Delivery`` in the request's environment.
"""
