"""The WSGI entry point for servers that look for a file `wsgi.py`: `gunicorn wsgi:application`."""

from calendar_api.wsgi import application

__all__ = ["application"]
