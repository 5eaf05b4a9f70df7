"""Who gets in where: every address of the hub, every role, by reading and by writing.

The addresses are read from the URL configuration: a new one must be entered here with
the least role that it lets in. Admin's pages are in `tests.accounts.test_roles`.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

import pytest
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from accounts.models import User
from kb.domain.moderation import propose_edit
from kb.models import FormQuestion, Workspace
from operational.models import Entity, Failure, MissedPaste
from tests.factories.library import NOW, item

pytestmark = pytest.mark.django_db

# Descriptions of the hub that hold nothing of the library, and ways of signing in.
FOR_ANYBODY = {
    "healthz",
    "readyz",
    "accounts:login",
    "accounts:logout",
    "accounts:unsubscribe",  # the token in the address says who
    "oauth2_provider:oauth-server-metadata",
    "oauth2_provider:oauth-resource-metadata",
    "oauth2_provider:.well-known/oauth-protected-resource/mcp",
    "oauth2_provider:token",
    "oauth2_provider:revoke-token",
    "oauth2_provider:dcr-register",
    "oauth2_provider:dcr-register-management",
    "api-schema",
    "api-docs",
    "operational:schema",
}
FOR_EDITORS = {
    "browse:question-take",
    "browse:question-answer",
    "browse:question-close",
    "browse:item-new",
    "browse:item-preview",
    "browse:item-alike",
    "browse:item-edit",
    "browse:item-action",
    "browse:item-decide",
    "browse:cite",
    "browse:bid-new",
    "browse:bid-edit",
    "browse:bid-import",
    "browse:bid-question",
    "browse:bid-question-edit",
    "browse:bid-answer",
    "browse:bid-insert",
    "browse:bid-cite",
    "browse:governance",
    "browse:gap",
    "operational:record",
    "operational:misses",
    "operational:close_miss",
    "operational:verify",
}
# Where an editor must also be the owner, whom `kb.domain.moderation` asks for.
FOR_OWNERS = {"browse:item-decide"}
FOR_PEOPLE = {
    "accounts:connections",
    "accounts:disconnect",
    "accounts:mail",
    "oauth2_provider:authorize",
    "browse:home",
    "browse:browse",
    "browse:preview",
    "browse:recents-clear",
    "browse:presets",
    "browse:preset-new",
    "browse:preset",
    "browse:preset-update",
    "browse:preset-rename",
    "browse:preset-share",
    "browse:preset-follow",
    "browse:preset-delete",
    "browse:preset-restore",
    "browse:settings",
    "browse:focus",
    "browse:look",
    "browse:token-new",
    "browse:token-revoke",
    "browse:questions",
    "browse:question-ask",
    "browse:question-seen",
    "browse:item",
    "browse:item-history",
    "browse:picture",
    "browse:thumbnail",
    "browse:bids",
    "browse:bid",
    "browse:bid-export",
    "search:search",
    "search:jump",
    "search:sections",
    "search:preview",
    "operational:memory",
    "operational:entities",
    "operational:entity",
    "operational:outcome",
    "operational:search",
}


def routes(
    patterns: list[URLPattern | URLResolver], before: str = "", space: str = ""
) -> Iterator[tuple[str, str]]:
    """Name and route of each address outside admin."""
    for each in patterns:
        route = before + str(each.pattern)
        if isinstance(each, URLPattern):
            yield f"{space}{each.name or route}", route
        elif each.namespace != "admin":
            inner = f"{each.namespace}:" if each.namespace else space
            yield from routes(each.url_patterns, route, inner)


ROUTES = dict(routes(get_resolver().url_patterns))


# So that a request is refused for who sends it, and not for what it lacks.
ITEM, BID = UUID(int=7), 7_000_001
FILLED = {
    "from_bid": str(BID),
    "item": str(ITEM),
    "item_id": str(ITEM),
    "text": "An answer.",
    "title": "A title",
    "note": "A note",
    "state": "verified",
}


@pytest.fixture
def address(bob: User) -> Callable[[str], str]:
    """Fills a route with what exists."""
    made = item(embedded=False, id=ITEM)
    edit = propose_edit(bob.viewer(), made.pk, {"content": "New."}, NOW)
    bid = Workspace.objects.create(pk=BID, name="Bid")
    question = FormQuestion.objects.create(workspace=bid, position=1, text="Who?")
    Failure.objects.create(
        entity=Entity.objects.create(type="failure", slug="outage", title="Outage")
    )
    miss = MissedPaste.objects.create(key="k", text="x", first_at=NOW, last_at=NOW)
    values = {
        "item_id": made.pk,
        "revision": edit.revision.pk if edit.revision else 0,
        "bid_id": bid.pk,
        "question_id": question.pk,
        "miss_id": miss.pk,
        "preset_id": "system-recently-changed",
        "action": "review",
        "decision": "approve",
        "entity_type": "failure",
        "slug": "outage",
        "kind": "csv",
        "token": "x",
        "name": "pictures/x.png",
        "client_id": "x",
    }

    def fill(route: str) -> str:
        def value(match: re.Match[str]) -> str:
            return str(values.get(match[2], 1))

        return "/" + re.sub(r"<(\w+:)?(\w+)>", value, route)

    return fill


def answers(client: Client, url: str) -> list[str]:
    """What reading and writing give: "in", or how one is kept out."""
    found = []
    for send, where in ((client.get, url), (client.post, f"{url}?from_bid={BID}")):
        cache.clear()  # budgets of searches
        with transaction.atomic():
            answer = send(where, FILLED)
            transaction.set_rollback(True)
        found.append(_told(answer))
    return found


def _told(answer: Any) -> str:
    if answer.status_code == 302 and "/sign-in" in answer["Location"]:
        return "sign in"
    return {401: "sign in", 403: "refused", 405: "no such"}.get(
        answer.status_code, "in"
    )


def opened(name: str, given: list[str]) -> bool:
    """Every way that there is lets one in."""
    assert given.count("no such") < 2, name
    return set(given) <= {"in", "no such"}


def kept_out(name: str, given: list[str], how: str) -> bool:
    assert given.count("no such") < 2, name
    return set(given) <= {how, "no such"}


def test_every_address_says_whom_it_is_for() -> None:
    named = [*FOR_ANYBODY, *FOR_PEOPLE, *FOR_EDITORS]
    assert sorted(named) == sorted(ROUTES)


def test_strangers_are_sent_to_sign_in(
    client: Client, address: Callable[[str], str]
) -> None:
    given = {
        name: answers(client, address(ROUTES[name]))
        for name in FOR_PEOPLE | FOR_EDITORS
    }
    wrong = {n: g for n, g in given.items() if not kept_out(n, g, "sign in")}
    assert wrong == {}


def test_what_is_for_anybody_sends_nobody_to_sign_in(
    client: Client, address: Callable[[str], str]
) -> None:
    asks = {"accounts:logout", "oauth2_provider:dcr-register-management"}
    given = {n: answers(client, address(ROUTES[n])) for n in FOR_ANYBODY - asks}
    assert {n: g for n, g in given.items() if not opened(n, g)} == {}


def test_viewers_get_in_everywhere_but_where_editors_work(
    client: Client, charlie: User, address: Callable[[str], str]
) -> None:
    client.force_login(charlie)
    given = {n: answers(client, address(ROUTES[n])) for n in FOR_PEOPLE | FOR_EDITORS}
    open_to = {n for n, g in given.items() if opened(n, g)}
    refused = {n for n, g in given.items() if kept_out(n, g, "refused")}
    assert (open_to - FOR_PEOPLE, FOR_PEOPLE - open_to) == (set(), set())
    assert (refused - FOR_EDITORS, FOR_EDITORS - refused) == (set(), set())


def test_editors_get_in_everywhere_but_where_owners_decide(
    client: Client, bob: User, address: Callable[[str], str]
) -> None:
    client.force_login(bob)
    given = {n: answers(client, address(ROUTES[n])) for n in FOR_PEOPLE | FOR_EDITORS}
    assert {n for n, g in given.items() if not opened(n, g)} == FOR_OWNERS
    assert given["browse:item-decide"][1] == "refused"


def test_admins_get_in_everywhere(
    client: Client, alice: User, address: Callable[[str], str]
) -> None:
    client.force_login(alice)
    given = {n: answers(client, address(ROUTES[n])) for n in FOR_PEOPLE | FOR_EDITORS}
    assert {n: g for n, g in given.items() if not opened(n, g)} == {}
