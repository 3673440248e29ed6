"""A calendar server: events, venues, organizers, categories and tags over REST."""

__version__ = "0.1.0"
