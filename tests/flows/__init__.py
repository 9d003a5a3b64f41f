"""How many files of this package one use case enters, counted while it runs."""
