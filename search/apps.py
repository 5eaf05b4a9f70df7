from django.apps import AppConfig

from core.navigation import add_source


class SearchConfig(AppConfig):
    name = "search"

    def ready(self) -> None:
        # Models can be imported only from here on.
        from search.navigation import SOURCE  # noqa: PLC0415

        add_source(SOURCE)
