from django.db.models import TextChoices


class EntityType(TextChoices):
    FAILURE = "failure", "Failure"
    PATTERN = "pattern", "Pattern"
    LESSON = "lesson", "Lesson"
    PATHWAY = "pathway", "Pathway"
    PLAYBOOK = "playbook", "Playbook"
    CASE_STUDY = "case-study", "Case study"
    SYSTEM = "system", "System"


class Severity(TextChoices):
    LOW = "low", "Low"
    MEDIUM = "medium", "Medium"
    HIGH = "high", "High"
    CRITICAL = "critical", "Critical"


class Complexity(TextChoices):
    SIMPLE = "simple", "Simple"
    MODERATE = "moderate", "Moderate"
    COMPLEX = "complex", "Complex"


class FixState(TextChoices):
    SUGGESTED = "suggested", "Suggested"
    TRIED = "tried", "Tried"
    VERIFIED = "verified", "Verified"
    STALE = "stale", "Stale"


class RelationKind(TextChoices):
    """`source kind target`; the other end reads `INVERSE`."""

    EXEMPLIFIES = "exemplifies", "exemplifies"
    PREVENTS = "prevents", "prevents"
    RESOLVES = "resolves", "resolves"
    IMPLEMENTS = "implements", "implements"
    PREREQUISITE_FOR = "prerequisite-for", "is a prerequisite for"
    LEADS_TO = "leads-to", "leads to"
    DOCUMENTS = "documents", "documents"
    EVIDENCE_FOR = "evidence-for", "is evidence for"
    AFFECTS = "affects", "affects"
    RELATED_TO = "related-to", "is related to"


INVERSE: dict[str, str] = {
    RelationKind.EXEMPLIFIES: "is exemplified by",
    RelationKind.PREVENTS: "is prevented by",
    RelationKind.RESOLVES: "is resolved by",
    RelationKind.IMPLEMENTS: "is implemented by",
    RelationKind.PREREQUISITE_FOR: "requires",
    RelationKind.LEADS_TO: "follows from",
    RelationKind.DOCUMENTS: "is documented by",
    RelationKind.EVIDENCE_FOR: "has as evidence",
    RelationKind.AFFECTS: "is affected by",
    RelationKind.RELATED_TO: "is related to",
}
