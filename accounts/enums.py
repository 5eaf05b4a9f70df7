from django.db.models import TextChoices


class Role(TextChoices):
    VIEWER = "viewer", "Viewer"
    EDITOR = "editor", "Editor"
    ADMIN = "admin", "Admin"


class Focus(TextChoices):
    """What someone mostly works on; decides which starting points they are shown."""

    BID_WRITING = "bid_writing", "Bid writing"
    ACCOUNT_MANAGEMENT = "account_management", "Account management"
    MARKETING = "marketing", "Marketing"


class Digest(TextChoices):
    """How often someone wants mail about what is theirs."""

    OFF = "off", "Never"
    WEEKLY = "weekly", "On Mondays"
    DAILY = "daily", "On Mondays, and on the day itself for what is due"
