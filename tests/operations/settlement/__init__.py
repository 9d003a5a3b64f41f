"""What is written with a change of state."""
