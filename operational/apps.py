from django.apps import AppConfig

from core.registry import NavEntry, add_nav


class OperationalConfig(AppConfig):
    name = "operational"
    verbose_name = "Operational memory"

    def ready(self) -> None:
        add_nav(NavEntry(20, "Memory", "operational:memory"))
