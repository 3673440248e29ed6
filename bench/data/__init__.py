"""A calendar of any size, the same every time: what is in it, as rows, and as a database."""
