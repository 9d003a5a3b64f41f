"""Read-only queries for pages, the admin and exports. No side effects, no network."""
