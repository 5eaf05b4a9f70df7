from django.apps import AppConfig

from core.navigation import add_source
from core.registry import MailSection, add_mail_section


class SearchConfig(AppConfig):
    name = "search"

    def ready(self) -> None:
        # Models can be imported only from here on.
        from search.insights import assigned  # noqa: PLC0415
        from search.navigation import SOURCE  # noqa: PLC0415

        add_source(SOURCE)
        add_mail_section(MailSection(80, "gaps", assigned))
