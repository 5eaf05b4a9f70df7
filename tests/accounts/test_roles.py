"""Who may do what in admin: every registered model, every page, every role."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group
from django.db.models import Model
from django.test import Client
from django.urls import reverse
from django_celery_beat.models import (
    ClockedSchedule,
    CrontabSchedule,
    IntervalSchedule,
    PeriodicTask,
    SolarSchedule,
)

from accounts import tokens
from accounts.backends import editor_may
from accounts.enums import Role
from accounts.models import AccessToken, User
from kb.enums import JobOutcome
from kb.models import (
    Citation,
    ContentChunk,
    ContentItem,
    Domain,
    DuplicatePair,
    FormQuestion,
    FormResponse,
    IndexStatistics,
    ItemIndex,
    ItemTerms,
    JobRun,
    ReadMark,
    ReviewRequest,
    Revision,
    TermStatistic,
    Workspace,
)
from operational.models import (
    Entity,
    Failure,
    Feedback,
    MissedPaste,
    Pathway,
    Pattern,
    Relationship,
)
from search.enums import Source
from search.models import SearchLog
from tests.factories.library import NOW, domain, item

# v: view, a: add, c: change. Nobody deletes; viewers and strangers do not get in.
# A new model in admin must be entered here.
RIGHTS: dict[type[Model], tuple[str, str]] = {
    # For each model: editor, admin.
    ContentItem: ("vac", "vac"),
    Workspace: ("vac", "vac"),
    FormQuestion: ("vac", "vac"),
    FormResponse: ("vc", "vc"),
    Citation: ("va", "va"),
    Domain: ("v", "vac"),
    Revision: ("v", "v"),
    ReviewRequest: ("v", "v"),
    DuplicatePair: ("v", "v"),
    ContentItem.history.model: ("v", "v"),
    ContentChunk: ("v", "v"),
    ItemIndex: ("v", "v"),
    JobRun: ("v", "v"),
    ReadMark: ("", "v"),
    ItemTerms: ("", "v"),
    TermStatistic: ("", "v"),
    IndexStatistics: ("", "v"),
    SearchLog: ("", "v"),
    Entity: ("vac", "vac"),
    Relationship: ("vac", "vac"),
    Failure: ("vc", "vc"),
    Pattern: ("vc", "vc"),
    Pathway: ("vc", "vc"),
    Feedback: ("v", "v"),
    MissedPaste: ("v", "v"),
    User: ("", "vac"),
    Group: ("", "vac"),
    AccessToken: ("", "vc"),
    PeriodicTask: ("", "vac"),
    IntervalSchedule: ("", "vac"),
    CrontabSchedule: ("", "vac"),
    SolarSchedule: ("", "vac"),
    ClockedSchedule: ("", "vac"),
}


def _bid() -> Workspace:
    return Workspace.objects.create(name="Harbour")


def _pair() -> DuplicatePair:
    first, second = sorted((item().pk, item().pk))
    return DuplicatePair.objects.create(
        first_id=first,
        second_id=second,
        kind="duplicate",
        likeness=0.9,
        shared=0.8,
        found_at=NOW,
    )


def _question() -> FormQuestion:
    return FormQuestion.objects.create(workspace=_bid(), position=1, text="Who?")


def _entity(kind: str) -> Entity:
    return Entity.objects.create(type=kind, slug="a", title="A")


def _failure() -> Failure:
    return Failure.objects.create(entity=_entity("failure"))


MAKE: dict[type[Model], Callable[[User], Model]] = {
    ContentItem: lambda user: item(),
    Workspace: lambda user: _bid(),
    FormQuestion: lambda user: _question(),
    FormResponse: lambda user: FormResponse.objects.create(
        question=_question(), text="We."
    ),
    Citation: lambda user: Citation.objects.create(item=item(), workspace=_bid()),
    Domain: lambda user: domain(),
    Revision: lambda user: Revision.objects.create(item=item(), changes={"title": "B"}),
    ReviewRequest: lambda user: ReviewRequest.objects.create(
        item=item(), person=user, asked_at=NOW
    ),
    DuplicatePair: lambda user: _pair(),
    ContentItem.history.model: lambda user: item().history.get(),
    ContentChunk: lambda user: ContentChunk.objects.get(item=item()),
    ItemIndex: lambda user: ItemIndex.objects.get(item=item()),
    ItemTerms: lambda user: ItemTerms.objects.get(item=item()),
    JobRun: lambda user: JobRun.objects.create(
        job="quality", date=NOW.date(), outcome=JobOutcome.DONE, started_at=NOW
    ),
    ReadMark: lambda user: ReadMark.objects.create(
        user=user, item=item(), first_read_at=NOW, last_read_at=NOW
    ),
    TermStatistic: lambda user: TermStatistic.objects.create(term="c++", items=2),
    IndexStatistics: lambda user: IndexStatistics.objects.create(items=2),
    SearchLog: lambda user: SearchLog.objects.create(
        created_at=NOW,
        source=Source.PAGE,
        query="x",
        mode="hybrid",
        hits=1,
        total=1,
        found_nothing=False,
        weak=False,
        duration_ms=1,
    ),
    Entity: lambda user: _entity("system"),
    Relationship: lambda user: Relationship.objects.create(
        source=_entity("system"), kind="related-to", target=_entity("playbook")
    ),
    Failure: lambda user: _failure(),
    Pattern: lambda user: Pattern.objects.create(entity=_entity("pattern")),
    Pathway: lambda user: Pathway.objects.create(entity=_entity("pathway")),
    Feedback: lambda user: Feedback.objects.create(
        failure=_failure(), user=user, worked=True, day=NOW.date(), created_at=NOW
    ),
    MissedPaste: lambda user: MissedPaste.objects.create(
        key="k", text="boom", first_at=NOW, last_at=NOW
    ),
    User: lambda user: user,
    Group: lambda user: Group.objects.create(name="Security"),
    AccessToken: lambda user: tokens.create(user, "laptop")[0],
    PeriodicTask: lambda user: PeriodicTask.objects.create(
        name="Sweep", task="kb.sweep", interval=_interval()
    ),
    IntervalSchedule: lambda user: _interval(),
    CrontabSchedule: lambda user: CrontabSchedule.objects.create(minute="5"),
    SolarSchedule: lambda user: SolarSchedule.objects.create(
        event="sunrise", latitude=1, longitude=1
    ),
    ClockedSchedule: lambda user: ClockedSchedule.objects.create(clocked_time=NOW),
}


def _interval() -> IntervalSchedule:
    return IntervalSchedule.objects.create(every=1, period=IntervalSchedule.DAYS)


def address(model: type[Model], page: str, *args: Any) -> str:
    meta = model._meta
    return reverse(f"admin:{meta.app_label}_{meta.model_name}_{page}", args=args)


def pages(model: type[Model], made: Model) -> dict[str, str]:
    return {
        "changelist": address(model, "changelist"),
        "add": address(model, "add"),
        "change": address(model, "change", made.pk),
        "history": address(model, "history", made.pk),
        "delete": address(model, "delete", made.pk),
    }


def expected(verbs: str) -> dict[str, int]:
    see, add = 200 if "v" in verbs else 403, 200 if "a" in verbs else 403
    return {"changelist": see, "add": add, "change": see, "history": see, "delete": 403}


def statuses(client: Client, addresses: dict[str, str]) -> dict[str, int]:
    return {page: client.get(url).status_code for page, url in addresses.items()}


def test_rights_are_stated_for_every_model_in_admin() -> None:
    assert set(admin.site._registry) == set(RIGHTS) == set(MAKE)


@pytest.mark.parametrize("model", RIGHTS, ids=lambda model: model._meta.label)
def test_each_role_gets_the_pages_that_are_its_own(
    model: type[Model], client: Client, alice: User, bob: User, charlie: User
) -> None:
    made = MAKE[model](charlie)
    addresses = pages(model, made)

    assert statuses(client, addresses) == dict.fromkeys(addresses, 302)
    client.force_login(charlie)
    assert statuses(client, addresses) == dict.fromkeys(addresses, 302)
    client.force_login(bob)
    assert statuses(client, addresses) == expected(RIGHTS[model][0])
    client.force_login(alice)
    assert statuses(client, addresses) == expected(RIGHTS[model][1])


@pytest.mark.parametrize("model", RIGHTS, ids=lambda model: model._meta.label)
def test_who_may_only_look_cannot_post(
    model: type[Model], client: Client, alice: User, bob: User, charlie: User
) -> None:
    made = MAKE[model](charlie)
    for user, verbs in zip((bob, alice), RIGHTS[model], strict=True):
        client.force_login(user)
        if "c" not in verbs:
            answer = client.post(address(model, "change", made.pk), {})
            assert answer.status_code == 403
        assert client.post(address(model, "delete", made.pk)).status_code == 403
    assert model._default_manager.filter(pk=made.pk).exists()


def test_no_list_offers_to_delete(client: Client, alice: User) -> None:
    client.force_login(alice)
    for model in RIGHTS:
        page = client.get(address(model, "changelist"))
        form = page.context["cl"].model_admin.get_action_choices(page.wsgi_request)
        assert "delete_selected" not in dict(form)


def test_signed_out_visitors_are_sent_to_the_sign_in_of_the_hub(client: Client) -> None:
    first = client.get("/admin/kb/contentitem/?q=a")
    assert first["Location"] == "/admin/login/?next=/admin/kb/contentitem/%3Fq%3Da"
    second = client.get(first["Location"])
    assert second["Location"] == "/sign-in?next=/admin/kb/contentitem/%3Fq%3Da"


def test_the_sign_in_of_admin_leads_nowhere_else(client: Client, bob: User) -> None:
    assert client.get("/admin/login/?next=//evil.example/")["Location"] == (
        "/sign-in?next=/admin/"
    )
    client.force_login(bob)
    assert client.get("/admin/login/?next=//evil.example/")["Location"] == "/admin/"
    assert client.get("/admin/login/?next=/admin/kb/")["Location"] == "/admin/kb/"


def test_viewers_are_told_who_may_enter(client: Client, charlie: User) -> None:
    client.force_login(charlie)
    answer = client.get("/admin/", follow=True)
    assert answer.status_code == 403
    assert "Editors and admins may enter here." in answer.text


def test_editors_see_the_library_alone_in_the_index(client: Client, bob: User) -> None:
    client.force_login(bob)
    page = client.get("/admin/")
    assert [each["app_label"] for each in page.context["app_list"]] == [
        "kb",
        "operational",
    ]
    assert 'href="/browse"' in page.text
    assert "Knowledge Hub administration" in page.text
    assert client.get("/admin/accounts/").status_code == 404


def test_inactive_people_may_nothing(client: Client, bob: User, alice: User) -> None:
    for user in (bob, alice):
        User.objects.filter(pk=user.pk).update(is_active=False)
        gone = User.objects.get(pk=user.pk)
        assert not gone.has_perm("kb.view_contentitem")
        assert not gone.has_module_perms("kb")


@pytest.mark.parametrize(
    ("perm", "allowed"),
    [
        ("kb.change_contentitem", True),
        ("kb.delete_contentitem", False),
        ("kb.change_domain", False),
        ("kb.change_historicalcontentitem", False),
        ("accounts.view_user", False),
        ("kb", False),
        ("", False),
        ("kb.contentitem", False),
    ],
)
def test_rights_of_editors_are_read_exactly(perm: str, allowed: bool) -> None:
    assert editor_may(perm) is allowed


def test_admins_make_people_and_give_them_a_role(client: Client, alice: User) -> None:
    client.force_login(alice)
    answer = client.post(
        reverse("admin:accounts_user_add"),
        {
            "username": "dora",
            "role": "editor",
            "usable_password": "true",
            "password1": "a-long-pass-9",
            "password2": "a-long-pass-9",
        },
    )
    assert answer.status_code == 302
    dora = User.objects.get(username="dora")
    assert dora.role == Role.EDITOR
    assert dora.check_password("a-long-pass-9")


def test_tokens_are_revoked_after_a_question_and_never_shown(
    client: Client, alice: User, charlie: User
) -> None:
    token, secret = tokens.create(charlie, "laptop")
    client.force_login(alice)
    listing = address(AccessToken, "changelist")
    chosen = {"action": "revoke", "_selected_action": [token.pk]}

    page = client.post(listing, chosen)
    assert tokens.find(secret, NOW) is not None
    assert token.digest not in page.text
    confirmed = chosen | {"selection": page.context["selection"]}
    assert client.post(listing, confirmed).status_code == 302
    assert tokens.find(secret, NOW) is None
    assert token.digest not in client.get(address(AccessToken, "change", token.pk)).text
