"""Django admin of operational memory. Every write goes through `operational.domain`."""

from operational.admin import entities, parts, records

__all__ = ["entities", "parts", "records"]
