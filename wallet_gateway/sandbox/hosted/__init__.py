"""The pages to which a customer's browser is redirected: hosted checkout and 3-D Secure.

Here: what these pages show and how a form is answered. Not here: what a decision does to the payment
(``payments.checkouts``, ``wallet.three_d_secure``).
"""
