"""Management commands. They contain no business rules: each calls one operation."""
