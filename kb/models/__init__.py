from kb.models.bids import Citation, FormQuestion, FormResponse, Workspace
from kb.models.content import (
    ContentItem,
    Domain,
    JobRun,
    ReadMark,
    Revision,
)
from kb.models.index import (
    ContentChunk,
    IndexStatistics,
    ItemIndex,
    ItemTerms,
    TermStatistic,
    Word,
)

__all__ = [
    "Citation",
    "ContentChunk",
    "ContentItem",
    "Domain",
    "FormQuestion",
    "FormResponse",
    "IndexStatistics",
    "ItemIndex",
    "ItemTerms",
    "JobRun",
    "ReadMark",
    "Revision",
    "TermStatistic",
    "Word",
    "Workspace",
]
