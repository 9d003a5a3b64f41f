"""The wallet button: what customers do with it, and what its gateway says."""
