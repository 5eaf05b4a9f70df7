from django.apps import AppConfig

from core import health


class CoreConfig(AppConfig):
    name = "core"

    def ready(self) -> None:
        health.register("database", health.database, required=True)
        health.register("cache", health.shared_cache, required=False)
