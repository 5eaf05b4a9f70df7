from django.db.models import TextChoices


class ContentType(TextChoices):
    ARTICLE = "article", "Article"
    QA_PAIR = "qa_pair", "Q&A pair"
    CASE_STUDY = "case_study", "Case study"
    POLICY = "policy", "Policy"
    PRODUCT = "product", "Product"
    BIOGRAPHY = "biography", "Biography"
    TEMPLATE = "template", "Template"


class ReviewStatus(TextChoices):
    DRAFT = "draft", "Draft"
    IN_REVIEW = "in_review", "In review"
    APPROVED = "approved", "Approved"
    REVIEW_OVERDUE = "review_overdue", "Review overdue"


class CadenceKind(TextChoices):
    INHERIT = "inherit", "As its domain"
    PERIOD = "period", "Every so many days"
    FIXED = "fixed", "On a fixed date"
    EVERGREEN = "evergreen", "Never (evergreen)"


class Freshness(TextChoices):
    """Derived from the last content change or review; bounds in `kb.domain.review`."""

    FRESH = "fresh", "Fresh"
    AGING = "aging", "Aging"
    STALE = "stale", "Stale"
    EXPIRED = "expired", "Expired"


class Moderation(TextChoices):
    """What becomes of an approved answer while an edit of it waits."""

    KEEP = "keep", "The old answer stays usable until the new one is approved"
    HIDE = "hide", "The item is hidden until the new answer is approved"


class BidStatus(TextChoices):
    OPEN = "open", "Open"
    SUBMITTED = "submitted", "Submitted"
    WON = "won", "Won"
    LOST = "lost", "Lost"


class RevisionStatus(TextChoices):
    WAITING = "waiting", "Waiting for approval"
    APPROVED = "approved", "Approved"
    REJECTED = "rejected", "Rejected"
    CONTINUED = "continued", "Continued in a later edit"
    WITHDRAWN = "withdrawn", "Withdrawn"


class RequestStatus(TextChoices):
    OPEN = "open", "Open"
    DONE = "done", "Done"
    WITHDRAWN = "withdrawn", "Withdrawn"


class DigestKind(TextChoices):
    """One mail a person and week, and for those who want it one on the day itself."""

    WEEKLY = "weekly", "Weekly"
    DAILY = "daily", "Daily"


class PairKind(TextChoices):
    DUPLICATE = "duplicate", "Near-duplicate"
    CONTRADICT = "contradict", "May contradict"


class PairState(TextChoices):
    """`gone`: their texts changed, and are no longer alike."""

    OPEN = "open", "Open"
    DISMISSED = "dismissed", "Dismissed"
    MERGED = "merged", "Merged"
    GONE = "gone", "No longer alike"


class JobOutcome(TextChoices):
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"
