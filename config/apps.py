from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps
from django.core.checks import Tags, register


class ConfigAppConfig(AppConfig):
    name = "config"
    default = True

    def ready(self) -> None:
        # Tasks are sent through the current Celery app, which this import makes ours.
        import config.celery  # noqa: F401, PLC0415
        from config.checks import check_pgvector  # noqa: PLC0415

        register(check_pgvector, Tags.database)


class HubAdminConfig(admin_apps.AdminConfig):
    default = False
    default_site = "core.admin_site.HubAdminSite"
