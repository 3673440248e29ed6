"""The list by Django REST Framework: model serializers, select_related and prefetch_related."""
