"""Answers that need not be sent again: weak tags, and who may keep them."""

import hashlib

from django.http import HttpResponseBase
from django.utils.cache import patch_vary_headers


def weak_tag(stated: bytes) -> str:
    """Weak: what differs from answer to answer without meaning is not in it."""
    return f'W/"{hashlib.sha256(stated).hexdigest()[:32]}"'


def is_known(header: str, tag: str) -> bool:
    """Whether `If-None-Match` names the tag."""
    given = [each.strip().removeprefix("W/") for each in header.split(",")]
    return "*" in given or tag.removeprefix("W/") in given


def keep(response: HttpResponseBase, tag: str, *, public: bool, how: str) -> None:
    """`how` long a browser, and where `public` a proxy, may use the answer."""
    response["Cache-Control"] = f"{'public' if public else 'private'}, {how}"
    response["ETag"] = tag
    patch_vary_headers(response, ["Cookie", "Authorization"])
