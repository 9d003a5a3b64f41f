"""The sandbox's HTTP server: sockets, worker threads and the delivery of answers.

Here: HTTP/1.1 for any WSGI application. Not here: anything about payments. An application that wants a broken
delivery says so in the ``Delivery`` object of the WSGI environment.
"""
