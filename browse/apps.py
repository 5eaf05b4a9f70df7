from django.apps import AppConfig

from core.registry import MailSection, NavEntry, add_mail_section, add_nav


class BrowseConfig(AppConfig):
    name = "browse"

    def ready(self) -> None:
        # They need the models; the checks register themselves.
        from browse import checks, mail  # noqa: F401, PLC0415

        add_mail_section(MailSection(60, "presets", mail.followed_presets))
        add_mail_section(MailSection(70, "questions", mail.answered_questions))
        add_nav(NavEntry(10, "Library", "browse:browse", also=("/items/",)))
        add_nav(NavEntry(30, "Bids", "browse:bids"))
        add_nav(NavEntry(35, "Questions", "browse:questions"))
        add_nav(NavEntry(40, "Governance", "browse:governance", visible=_edits))


def _edits(viewer: object) -> bool:
    return bool(getattr(viewer, "can_edit", False))
