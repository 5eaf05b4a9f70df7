from django.apps import AppConfig
from django.core.checks import register


class KbConfig(AppConfig):
    name = "kb"
    verbose_name = "Library"

    def ready(self) -> None:
        # Models can be imported only from here on.
        from core import health  # noqa: PLC0415
        from kb.checks import check_embeddings  # noqa: PLC0415
        from kb.domain import jobs  # noqa: PLC0415
        from kb.embeddings import outage  # noqa: PLC0415

        register(check_embeddings)
        health.register("embeddings", outage.probe, required=False)
        health.register("nightly", jobs.probe, required=False, needs="database")
