"""The same list as others would write it, with the same keys, on the same SQLite file."""
