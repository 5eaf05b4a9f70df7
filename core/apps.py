from django.apps import AppConfig
from django.core.checks import register

from core import health, mail


class CoreConfig(AppConfig):
    name = "core"

    def ready(self) -> None:
        register(mail.check_mail)
        health.register("database", health.database, required=True)
        health.register("cache", health.shared_cache, required=False)
