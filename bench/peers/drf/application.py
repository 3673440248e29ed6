"""Settings, routes and the WSGI application in one file."""

import os

import django
from django.conf import settings

settings.configure(
    ROOT_URLCONF="bench.peers.drf.application",
    ALLOWED_HOSTS=["*"],
    SECRET_KEY="of no use here",  # noqa: S106
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    USE_TZ=False,
    INSTALLED_APPS=["rest_framework", "bench.peers.drf"],
    MIDDLEWARE=["django.middleware.common.CommonMiddleware"],
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": os.environ["BENCH_DATABASE"],
            "CONN_MAX_AGE": None,
        }
    },
    REST_FRAMEWORK={
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
        "DEFAULT_AUTHENTICATION_CLASSES": [],
        "DEFAULT_PERMISSION_CLASSES": [],
        "UNAUTHENTICATED_USER": None,
    },
)
django.setup()

from django.core.wsgi import get_wsgi_application  # noqa: E402 - after the settings
from django.urls import path  # noqa: E402

from bench.peers.drf.views import Events  # noqa: E402

urlpatterns = [path("calendar/events/v1/events", Events.as_view())]
application = get_wsgi_application()
