from django.apps import AppConfig
from django.core.checks import register

from core.registry import MailSection, add_mail_section


class KbConfig(AppConfig):
    name = "kb"
    verbose_name = "Library"

    def ready(self) -> None:
        # Models can be imported only from here on.
        from core import health  # noqa: PLC0415
        from kb.checks import check_embeddings, check_summaries  # noqa: PLC0415
        from kb.domain import jobs, notices  # noqa: PLC0415
        from kb.embeddings import outage  # noqa: PLC0415

        register(check_embeddings)
        register(check_summaries)
        health.register("embeddings", outage.probe, required=False)
        health.register(
            "nightly",
            jobs.probe,
            required=False,
            needs="database",
            detail=jobs.outcomes,
        )

        for section in (
            MailSection(10, "overdue", notices.overdue_items),
            MailSection(20, "due", notices.due_items, daily=True),
            MailSection(30, "requests", notices.asked_reviews, daily=True),
            MailSection(40, "approvals", notices.waiting_edits),
            MailSection(50, "answers", notices.answers),
        ):
            add_mail_section(section)
