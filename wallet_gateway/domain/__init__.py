"""Pure decisions: states, limits, what counts as evidence, when to ask again.

Functions here take values and return values. No Django, no database, no network, no clock: the instant is
an argument, so every rule is tested as a table.
"""
