"""What a developer gets wrong on the first day, each answered with one sentence that says what to do."""
