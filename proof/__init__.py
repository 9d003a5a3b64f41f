"""The proof that nothing is lost and nothing is doubled: long searches for what does harm."""
