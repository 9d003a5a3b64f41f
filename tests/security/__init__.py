"""What proves that the promises of docs/security.md still hold: who may open what, and what is kept where."""
