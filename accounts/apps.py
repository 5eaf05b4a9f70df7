from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        # Known to the schema's generator from its import on.
        from accounts import openapi  # noqa: F401, PLC0415
