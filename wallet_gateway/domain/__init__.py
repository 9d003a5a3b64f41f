"""Pure decisions: states, limits, the meaning of evidence, when to query the gateway again.

Functions here take values and return values. No Django, no database, no network, no clock: the current
time is an argument, so every rule is tested as a table.
"""
