"""What is shipped: the wheel as it is built, and what must and must not be in it."""
