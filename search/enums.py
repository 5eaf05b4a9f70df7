from django.db import models


class Source(models.TextChoices):
    """The surface that a search came through."""

    PAGE = "page"
    API = "api"
    MCP = "mcp"
    CLI = "cli"
