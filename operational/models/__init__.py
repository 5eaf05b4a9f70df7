"""The graph of operational memory. Writes go through `operational.domain`."""

from operational.models.failure import Failure, Symptom
from operational.models.graph import Entity, GraphVersion, Relationship
from operational.models.guidance import FailurePoint, Pathway, PathwayStep, Pattern
from operational.models.use import Feedback, MissedPaste

__all__ = [
    "Entity",
    "Failure",
    "FailurePoint",
    "Feedback",
    "GraphVersion",
    "MissedPaste",
    "Pathway",
    "PathwayStep",
    "Pattern",
    "Relationship",
    "Symptom",
]
