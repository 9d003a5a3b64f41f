"""Management commands. No rules here: each calls one operation."""
