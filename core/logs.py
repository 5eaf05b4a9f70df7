"""Structured logs: one JSON object a line, each with the request's id.

A log line never carries a query's text, a document's text or a secret.
"""

import json
import logging
from contextvars import ContextVar
from datetime import UTC, datetime

request_id: ContextVar[str] = ContextVar("request_id", default="-")

# Django puts the request into its own records: its address holds people's queries.
_LEFT_OUT = {"message", "request_id", "request"}
_STANDARD = frozenset(logging.makeLogRecord({}).__dict__) | _LEFT_OUT


class RequestIdFilter(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = request_id.get()
        return True


class JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "request_id": getattr(record, "request_id", "-"),
        }
        extra = {k: v for k, v in record.__dict__.items() if k not in _STANDARD}
        line.update(extra)
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)
