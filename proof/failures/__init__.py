"""A shop at a sandbox, and what goes wrong: killed processes, failing databases, disasters, load."""
