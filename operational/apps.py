from django.apps import AppConfig

from core.navigation import add_source
from core.registry import NavEntry, add_nav


class OperationalConfig(AppConfig):
    name = "operational"
    verbose_name = "Operational memory"

    def ready(self) -> None:
        # Models can be imported only from here on.
        from operational.navigation import SOURCE  # noqa: PLC0415

        add_nav(NavEntry(20, "Memory", "operational:memory"))
        add_source(SOURCE)
