"""The pages of operational memory, with and without htmx."""

import json
import logging
import re
from html import unescape
from typing import Any

import pytest
from django.apps import apps
from django.test import Client, override_settings

from accounts.models import User
from operational.models import Entity, Failure, Feedback, MissedPaste
from tests.operational.test_known_cases import CASES, WRITTEN
from tests.operational.test_pastes import FS, PASTES, SERVER

HTMX = {"HX-Request": "true"}
URL = "/operational"
TYPES = [
    *("failure", "lesson", "pattern", "pathway", "playbook", "case-study", "system"),
]


def text(response: Any) -> str:
    return " ".join(
        unescape(re.sub(r"<[^>]+>", " ", response.content.decode())).split()
    )


def matched(response: Any) -> str:
    """Type and slug of the package shown, or nothing."""
    body = response.content.decode().partition('class="pack__head"')[2]
    found = re.search(r'href="/operational/([a-z-]+)/([\w.-]+)"', body)
    return f"{found[1]}:{found[2]}" if found else ""


@pytest.fixture
def reading(client: Client, charlie: User, sample: int) -> Client:
    client.force_login(charlie)
    return client


@pytest.fixture
def editing(client: Client, bob: User, sample: int) -> Client:
    client.force_login(bob)
    return client


# --- Paste and package ---------------------------------------------------------------


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["whole", "part"])
def test_a_paste_gives_the_package(reading: Client, headers: dict[str, str]) -> None:
    answer = reading.post(URL, {"q": FS}, headers=headers)
    assert matched(answer) == f"failure:{SERVER}"
    said = text(answer)
    for part in (
        "we are sure",
        "Verified fix",
        "So it does not happen again",
        "Did this fix it?",
        "How it connects",
        "Module boundary violations",
    ):
        assert part in said
    assert ("<html" in answer.content.decode()) == (not headers)
    assert "no-store" in answer["Cache-Control"]
    assert "HX-Push-Url" not in answer


@pytest.mark.parametrize("written", ["as it stands", "with commas"])
def test_the_page_gives_the_known_cases(reading: Client, written: str) -> None:
    for query, _, gives, _ in CASES:
        answer = reading.post(URL, {"q": WRITTEN[written](query)}, headers=HTMX)
        assert (query, matched(answer)) == (query, gives)


@pytest.mark.parametrize("paste", PASTES)
def test_the_page_reads_any_paste(reading: Client, paste: str) -> None:
    answer = reading.post(URL, {"q": PASTES[paste]}, headers=HTMX)
    assert matched(answer) == f"failure:{SERVER}"


def test_siblings_and_why_it_matched_are_shown(reading: Client) -> None:
    said = text(reading.post(URL, {"q": "works locally fails prod"}))
    assert "likely" in said
    assert "It describes this kind of behaviour." in said
    assert "Why 70? The keywords of a pattern count 70" in said
    assert "Most likely among its failures" in said
    assert "Less likely" in said
    masked = reading.post(URL, {"q": f"{FS} in '/app/node_modules/x'"})
    assert '<i class="mask">/app/node_modules/x</i>' in masked.content.decode()


@pytest.mark.parametrize("type_", ["lesson", "pathway", "case-study", "pattern"])
def test_the_kind_asked_for_is_the_kind_shown(reading: Client, type_: str) -> None:
    entity = Entity.objects.filter(type=type_).earliest("slug")
    answer = reading.post(URL, {"q": entity.slug, "type": type_})
    assert matched(answer) == entity.key


def test_no_match_is_an_answer_and_kept_redacted(reading: Client, editor: Any) -> None:
    paste = "kernel: nvme timeout, completion polled for carol@example.org"
    answer = reading.post(URL, {"q": paste})
    said = text(answer)
    assert "We have no record of this" in said
    assert "we stop at 40" in said
    assert "Record this" not in said
    miss = MissedPaste.objects.get()
    assert miss.text == "kernel: nvme timeout, completion polled for [address]"


def test_editors_are_offered_to_record_it(editing: Client) -> None:
    answer = editing.post(URL, {"q": "flux capacitor: QuuxError: sealed"})
    miss = MissedPaste.objects.get()
    assert f'href="/operational/record?miss={miss.pk}"' in answer.content.decode()
    assert "1 paste nothing fitted" in text(editing.get(URL))


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({}, 400),
        ({"q": " \x00 "}, 400),
        ({"q": "a" * 1_000_001}, 400),
        ({"q": "a", "type": "x"}, 400),
    ],
)
def test_what_cannot_be_read_keeps_what_was_entered(
    reading: Client, given: dict[str, str], status: int
) -> None:
    answer = reading.post(URL, given)
    assert answer.status_code == status
    assert "What you entered is still here" in text(answer)
    assert reading.post(URL, given, headers=HTMX).status_code == 422


@override_settings(OPERATIONAL_PER_MINUTE=1)
def test_too_many_lookups_have_to_wait_and_lose_nothing(
    reading: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("django_ratelimit.core.time.time", lambda: 1_780_000_000.0)
    answers = [reading.post(URL, {"q": FS}) for _ in range(2)]
    assert [each.status_code for each in answers] == [200, 429]
    assert int(answers[1]["Retry-After"]) >= 1
    assert "Module not found" in text(answers[1])


def test_markup_in_a_paste_is_text(reading: Client) -> None:
    paste = "Error: <script>alert(1)</script> </textarea><img src=x onerror=1>"
    body = reading.post(URL, {"q": paste}).content.decode()
    assert "<script>alert" not in body
    assert "<img src=x" not in body


def test_a_secret_in_a_paste_is_nowhere_afterwards(
    editing: Client, caplog: Any, capsys: Any
) -> None:
    """Pasted, missed, recorded, told of: in no table and in no log."""
    secrets = ("hunter2-9f8e7d6c5b4a", "s3cr3t-t0ken", "carol.smith")
    paste = (
        "QuuxLedgerError: ledger sealed\nDATABASE_URL=postgres://app:"
        f"{secrets[0]}@db.internal/x\nboom {secrets[0]}\n"
        f'{{"msg": "refused", "api_key": "{secrets[1]}"}} {secrets[1]}\n'
        f"by {secrets[2]}@example.org in /home/{secrets[2]}/x"
    )
    with caplog.at_level(logging.DEBUG):
        editing.post(URL, {"q": paste})
        editing.post(URL, {"q": f"{FS}\n{paste}"})
        miss = MissedPaste.objects.get()
        form = editing.get(f"/operational/record?miss={miss.pk}")
        editing.post(
            "/operational/record",
            {
                "miss": miss.pk,
                "title": "Ledger",
                "messages": paste,
                "severity": "low",
                "summary": paste,
            },
        )
        note = f"password: {secrets[0]}"
        editing.post(f"{URL}/failure/{SERVER}/outcome", {"worked": "yes", "note": note})
    assert Entity.objects.filter(slug="ledger").exists()
    logged = caplog.text + "".join(str(record.__dict__) for record in caplog.records)
    printed = capsys.readouterr()
    everywhere = logged + printed.out + printed.err + form.content.decode()
    for model in apps.get_models():
        everywhere += "".join(map(str, model._default_manager.values()))
    for secret in secrets:
        assert secret not in everywhere


# --- Entities -------------------------------------------------------------------------


def test_every_entity_has_a_page(reading: Client) -> None:
    for entity in Entity.objects.all():
        answer = reading.get(entity.href)
        assert answer.status_code == 200
        assert entity.title in text(answer)
        assert 'data-area="memory"' in answer.content.decode()


def test_relationships_are_shown_from_both_ends(reading: Client) -> None:
    lesson = text(reading.get("/operational/lesson/check-settings-at-start"))
    failure = text(
        reading.get("/operational/failure/environment-variable-missing-production")
    )
    assert "prevents Environment variable is missing in production" in lesson
    assert "is prevented by Check all settings at start" in failure
    pathway = text(reading.get("/operational/pathway/split-server-and-client-code"))
    assert "names as a risk" in pathway


def test_the_graph_has_links_and_names_for_all_readers(reading: Client) -> None:
    body = reading.get(f"/operational/failure/{SERVER}").content.decode()
    graphs = re.findall(r'<svg class="graph.*?</svg>', body, re.DOTALL)
    assert len(graphs) == 2
    for graph in graphs:
        assert 'role="group"' in graph
        links = re.findall(r'<a href="/operational/[^"]+"\s+aria-label="[^"]+"', graph)
        assert len(links) == 7
    assert "Read it as a list" in body


def test_the_score_is_explained(reading: Client) -> None:
    said = text(reading.get(f"/operational/failure/{SERVER}"))
    assert "85 of 100" in said
    assert "A playbook that resolves it 0 of 15" in said


def test_addresses_in_any_case_lead_to_the_one(reading: Client) -> None:
    answer = reading.get(f"/operational/failure/{SERVER.upper()}")
    assert (answer.status_code, answer["Location"]) == (
        302,
        f"/operational/failure/{SERVER}",
    )


@pytest.mark.parametrize(
    "path", ["failure/none", "lesson/server-module-client-bundle", "nix", "nix/x"]
)
def test_what_is_not_there_is_not_found(reading: Client, path: str) -> None:
    assert reading.get(f"/operational/{path}").status_code == 404


def test_markdown_of_a_body_is_rendered_safely(reading: Client) -> None:
    Entity.objects.filter(slug="database").update(
        body="## Two\n\n`x` <script>alert(1)</script> [a](javascript:alert(1))"
    )
    body = reading.get("/operational/system/database").content.decode()
    assert "<h2" in body
    assert "<code>x</code>" in body
    assert "<script>alert" not in body
    assert 'href="javascript' not in body


def test_history_tells_who_changed_what(editing: Client, bob: User) -> None:
    editing.post("/operational/failure/certificate-before-dns-ready/verify")
    said = text(editing.get("/operational/failure/certificate-before-dns-ready"))
    assert "Fix verified by Bob" in said
    assert "Verified by Bob on" in said


# --- Lists ----------------------------------------------------------------------------


@pytest.mark.parametrize("type_", TYPES)
def test_every_type_has_a_list(reading: Client, type_: str) -> None:
    said = text(reading.get(f"/operational/{type_}"))
    for title in Entity.objects.filter(type=type_).values_list("title", flat=True):
        assert title in said


def test_lists_are_narrowed_by_tag_severity_and_fix(reading: Client) -> None:
    def listed(query: str) -> set[str]:
        body = reading.get(f"/operational/failure{query}").content.decode()
        return set(
            re.findall(r'table__title"><a href="/operational/failure/([^"]+)"', body)
        )

    assert listed("?tag=webpack&severity=high") == {SERVER}
    assert listed("?fix=tried") == {"certificate-before-dns-ready"}
    assert listed("?tag=nix") == set()
    assert len(listed("")) == 14


@pytest.mark.parametrize(
    "query",
    ["?severity=worst", "?fix=x", "?page=0", "?page=99", "?page=x", "?nix=1"],
)
def test_unknown_filters_are_refused(reading: Client, query: str) -> None:
    assert reading.get(f"/operational/failure{query}").status_code == 400
    assert reading.get("/operational/lesson?severity=high").status_code == 400


@pytest.mark.parametrize("count", [1, 3])
def test_lists_cost_the_same_queries(
    reading: Client, django_assert_num_queries: Any, count: int
) -> None:
    keep = Failure.objects.values_list("pk", flat=True)[:count]
    Entity.objects.filter(type="failure").exclude(pk__in=list(keep)).delete()
    with django_assert_num_queries(4):
        reading.get("/operational/failure")


@pytest.mark.parametrize("count", [1, 3])
def test_the_queue_costs_the_same_queries(
    editing: Client, django_assert_num_queries: Any, count: int
) -> None:
    for n in range(count):
        editing.post(URL, {"q": f"QuuxError{n}Flux: sealed"})
    with django_assert_num_queries(4):
        said = text(editing.get("/operational/misses"))
    assert said.count("Record as a new failure") == count


# --- What people tell -----------------------------------------------------------------


def test_this_fixed_it_counts_once_a_day(reading: Client, charlie: User) -> None:
    url = f"/operational/failure/{SERVER}/outcome"
    part = reading.post(url, {"worked": "yes"}, headers=HTMX)
    assert "Recorded today: it worked." in text(part)
    assert reading.post(url, {"worked": "no"})["Location"].endswith(SERVER)
    told = Feedback.objects.get()
    assert (told.user, told.worked) == (charlie, False)
    said = text(reading.get(f"/operational/failure/{SERVER}"))
    assert "The fix did not work for Charlie" in said
    assert reading.post(url, {"worked": "maybe"}).status_code == 400
    assert reading.get(url).status_code == 405


def test_recording_from_the_queue_fills_the_form_and_closes_it(editing: Client) -> None:
    editing.post(URL, {"q": "QuuxLedgerError: ledger 7 sealed"})
    miss = MissedPaste.objects.get()
    form = editing.get(f"/operational/record?miss={miss.pk}").content.decode()
    assert "QuuxLedgerError: ledger 7 sealed" in form
    given = {
        "miss": miss.pk,
        "title": "The ledger is sealed",
        "messages": "QuuxLedgerError: ledger 7 sealed",
        "severity": "high",
        "pattern": "limits-found-under-load",
        "tags": "ledger, quux",
        "fix": "Unseal it.",
    }
    answer = editing.post("/operational/record", given)
    assert answer["Location"] == "/operational/failure/the-ledger-is-sealed"
    again = editing.post(URL, {"q": "QuuxLedgerError: ledger 9 sealed"})
    assert matched(again) == "failure:the-ledger-is-sealed"
    assert "Nothing is missing" in text(editing.get("/operational/misses"))
    said = text(editing.get(answer["Location"]))
    assert "Suggested fix" in said
    assert "Limits found under load" in said


def test_a_form_that_is_wrong_keeps_what_was_entered(editing: Client) -> None:
    given = {"title": " ", "severity": "nix", "fix": "Unseal it."}
    answer = editing.post("/operational/record", given)
    assert answer.status_code == 400
    assert "Unseal it." in answer.content.decode()
    assert Failure.objects.count() == 14


def test_a_miss_is_closed_or_dismissed_from_the_queue(editing: Client) -> None:
    for n in range(3):
        editing.post(URL, {"q": f"QuuxError{n}Flux: sealed"})
    one, two, three = MissedPaste.objects.order_by("pk")
    editing.post(f"/operational/misses/{one.pk}", {"slug": SERVER})
    editing.post(f"/operational/misses/{two.pk}")
    for slug in ("nope", " "):
        answer = editing.post(f"/operational/misses/{three.pk}", {"slug": slug})
        assert answer["Location"] == "/operational/misses"
    assert MissedPaste.objects.filter(closed_at=None).get() == three
    one.refresh_from_db()
    assert one.recorded_as is not None


# --- Who may --------------------------------------------------------------------------

GETS = [URL, f"{URL}/failure", f"{URL}/failure/{SERVER}", f"{URL}/record"]
GETS += [f"{URL}/misses"]
POSTS = [f"{URL}/failure/{SERVER}/outcome", f"{URL}/failure/{SERVER}/verify"]
POSTS += [URL, f"{URL}/record", f"{URL}/misses/1"]


def test_strangers_are_sent_to_sign_in(client: Client, sample: int) -> None:
    for path in GETS:
        assert client.get(path)["Location"].startswith("/sign-in?next=/operational")
    for path in POSTS:
        answer = client.post(path, {"q": FS, "worked": "yes"})
        assert answer["Location"].startswith("/sign-in")
        # The page stays, with what was typed.
        part = client.post(path, {"q": FS}, headers=HTMX)
        assert (part.status_code, part.has_header("HX-Redirect")) == (401, False)
    assert not Feedback.objects.exists()


def test_readers_see_no_queue_and_record_nothing(reading: Client) -> None:
    for path in (f"{URL}/record", f"{URL}/misses"):
        assert reading.get(path).status_code == 403
    for path in (f"{URL}/record", f"{URL}/misses/1", POSTS[1]):
        assert reading.post(path, {"title": "x"}).status_code == 403
    body = reading.get(f"{URL}/failure/{SERVER}").content.decode()
    assert "/admin/" not in body
    assert "Verify this fix" not in body


@override_settings(OPERATIONAL_PUBLIC=True)
def test_a_public_hub_shows_public_entities_to_anybody(
    client: Client, sample: int
) -> None:
    Entity.objects.filter(type__in=["lesson", "pathway"]).update(is_public=False)
    answer = client.post(URL, {"q": FS})
    assert matched(answer) == f"failure:{SERVER}"
    assert "Did this fix it?" not in text(answer)
    shown = client.get(f"{URL}/failure/{SERVER}")
    hidden = Entity.objects.filter(is_public=False)
    for page in (answer, shown, client.get(URL), client.get(f"{URL}/pattern")):
        for entity in hidden:
            assert entity.title not in text(page)
            assert entity.href not in page.content.decode()
    assert client.get(hidden[0].href).status_code == 404
    assert client.get(f"{URL}/lesson").status_code == 200
    assert "History" not in text(shown)
    client.post(URL, {"q": "QuuxLedgerError: sealed"})
    assert not MissedPaste.objects.exists()


def test_memory_stands_in_the_navigation(reading: Client) -> None:
    body = reading.get(URL).content.decode()
    assert '<a href="/operational" aria-current="page">Memory</a>' in body


def test_the_api_reads_the_same_pastes(reading: Client) -> None:
    for paste in list(PASTES.values())[-4:]:
        body = json.dumps({"q": paste})
        answer = reading.post("/api/operational-search", body, "application/json")
        assert answer.json()["matchedEntity"]["id"] == f"failure:{SERVER}"
