"""django-payments: the wallet as a provider of its payments.

Needs django-payments 4.1. How to install it is in the guide "django-payments".
"""
