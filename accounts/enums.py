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
