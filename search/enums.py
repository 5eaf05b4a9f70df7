from django.db import models


class Source(models.TextChoices):
    """The surface that a search came through."""

    PAGE = "page"
    API = "api"
    MCP = "mcp"
    CLI = "cli"


class QueryKind(models.TextChoices):
    """Why a query is remembered week by week."""

    NOTHING = "nothing", "Found nothing"
    SLOW = "slow", "Slow"
