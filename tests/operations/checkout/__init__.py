"""Creating orders and opening their hosted page."""
