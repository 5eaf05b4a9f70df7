from django.apps import AppConfig


class KbConfig(AppConfig):
    name = "kb"
    verbose_name = "Library"
