"""A deterministic calendar of any size: its content, its rows, its database."""
