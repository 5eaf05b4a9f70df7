"""The one shape of API errors: `{"error", "code", "field"?}`."""

import json
import logging
from collections.abc import Iterable
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.db import DatabaseError, InterfaceError
from django.http import Http404
from rest_framework import exceptions
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import set_rollback

from core.errors import HubError, RateLimited
from core.outages import DATABASE_MESSAGE

log = logging.getLogger("hub.api")


class JSONParser(BaseParser):
    """Strict UTF-8 JSON: DRF's own answers 500 to a lone surrogate or deep nesting."""

    media_type = "application/json"

    def parse(
        self, stream: Any, media_type: str | None = None, parser_context: Any = None
    ) -> Any:
        try:
            return json.loads(stream.read().decode("utf-8"), parse_constant=_refuse)
        except RequestDataTooBig as error:
            raise exceptions.ParseError("The body is too large.") from error
        except (ValueError, RecursionError) as error:
            raise exceptions.ParseError("The body is not valid JSON.") from error


class Negotiation(DefaultContentNegotiation):
    """Answers JSON to whoever cannot take it: an error of that would be no kinder."""

    def select_renderer(
        self,
        request: Request,
        renderers: Iterable[BaseRenderer],
        format_suffix: str | None = None,
    ) -> tuple[BaseRenderer, str]:
        able = list(renderers)
        try:
            chosen: tuple[BaseRenderer, str] = super().select_renderer(
                request, able, format_suffix
            )
        except (exceptions.NotAcceptable, Http404):
            return able[0], able[0].media_type
        return chosen


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def exception_handler(error: Exception, context: dict[str, Any]) -> Response:
    set_rollback()
    response = _response(error)
    response.exception = True
    return response


def _response(error: Exception) -> Response:
    if isinstance(error, HubError):
        response = shaped(error.status, error.code, error.message, error.field)
        if isinstance(error, RateLimited):
            response["Retry-After"] = str(error.retry_after)
        return response
    if isinstance(error, exceptions.APIException):
        return _framework_error(error)
    if isinstance(error, Http404):
        return shaped(404, "NOT_FOUND", "Nothing is here.")
    if isinstance(error, DatabaseError | InterfaceError):
        log.error("database failure", exc_info=error)
        return shaped(500, "DATABASE_UNAVAILABLE", DATABASE_MESSAGE)
    log.error("unexpected failure", exc_info=error)
    return shaped(500, "INTERNAL", "Something went wrong. It has been logged.")


def _framework_error(error: exceptions.APIException) -> Response:
    response = shaped(
        error.status_code, str(error.get_codes()).upper(), str(error.detail)
    )
    header = getattr(error, "auth_header", None)
    if header:
        response["WWW-Authenticate"] = header
    return response


def shaped(status: int, code: str, message: str, field: str | None = None) -> Response:
    body = {"error": message, "code": code}
    if field:
        body["field"] = field
    return Response(body, status=status)
