"""The same list by other frameworks, with the same keys, on the same SQLite file."""
