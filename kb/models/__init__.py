from kb.models.bids import Citation, FormQuestion, FormResponse, Workspace
from kb.models.content import (
    ContentItem,
    Domain,
    JobRun,
    ReadMark,
)
from kb.models.digests import DigestSent
from kb.models.duplicates import Comparison, DuplicatePair
from kb.models.index import (
    ContentChunk,
    IndexStatistics,
    ItemIndex,
    ItemTerms,
    TermStatistic,
    Word,
)
from kb.models.moderation import ReviewRequest, Revision

__all__ = [
    "Citation",
    "Comparison",
    "ContentChunk",
    "ContentItem",
    "DigestSent",
    "Domain",
    "DuplicatePair",
    "FormQuestion",
    "FormResponse",
    "IndexStatistics",
    "ItemIndex",
    "ItemTerms",
    "JobRun",
    "ReadMark",
    "ReviewRequest",
    "Revision",
    "TermStatistic",
    "Word",
    "Workspace",
]
