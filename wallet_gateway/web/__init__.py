"""Customer views: the way to the payment page and back from it.

A view reads a token, makes one call, and shows the page that *our* state determines. Nothing here decides
what happened to money, and no view trusts a parameter, a header or the kind of return URL that the browser
used.
"""
