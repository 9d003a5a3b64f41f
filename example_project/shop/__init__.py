"""The shop itself. It uses only the documented names of the payment app: payments, signals, tags, URLs."""
