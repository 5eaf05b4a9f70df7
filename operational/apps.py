from django.apps import AppConfig


class OperationalConfig(AppConfig):
    name = "operational"
