"""The customer's door: the way to the payment page and the way back from it.

A view reads a token, makes one call, and shows the page that *our* state chooses. Nothing here decides
what happened to any money, and no view believes a parameter, a header or the kind of URL a browser came
back by.
"""
