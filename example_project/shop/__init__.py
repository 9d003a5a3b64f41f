"""The shop itself. Of the payment app it knows the documented names only: payments, signals, tags, URLs."""
