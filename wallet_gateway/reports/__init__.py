"""What is only read: order pages, search, statistics, health and exports. No side effects, no network."""
