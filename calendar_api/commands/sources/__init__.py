"""Readers: one file per source that `calendar-api import` reads."""
