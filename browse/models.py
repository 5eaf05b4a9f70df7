"""What people keep of their own in the library's pages. Written by `browse.presets`,
`browse.recents` and `browse.questions`."""

import secrets

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from browse.enums import QuestionState
from kb.models import ContentItem, Workspace

NAME_MOST = 40


def preset_id() -> str:
    return f"u_{secrets.token_hex(4)}"


class FilterPreset(models.Model):
    """Filters with a name. `params` is their part of an address, keys and values
    sorted; `sort` is kept beside them where the owner wants it. A deleted one stays,
    so that deleting can be undone."""

    id = models.CharField(primary_key=True, max_length=10, default=preset_id)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="presets"
    )
    name = models.CharField(max_length=NAME_MOST)
    params = models.TextField()
    sort = models.CharField(max_length=40, blank=True, default="")
    shared = models.BooleanField(default=False)
    created_at = models.DateTimeField()
    deleted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["created_at", "id"]
        constraints = [
            models.UniqueConstraint(
                "owner",
                Lower("name"),
                condition=Q(deleted_at=None),
                name="preset_name_once_per_owner",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class PresetFollow(models.Model):
    """That a user wants the weekly mail of a preset, built in or made by someone."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="followed_presets"
    )
    preset = models.CharField(max_length=40, help_text="Its id")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "preset"], name="preset_followed_once_per_user"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} follows {self.preset}"


class RecentSearch(models.Model):
    """One of a user's last searches. The digest is of the folded words: a long query
    does not fit into an index."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="recent_searches"
    )
    query = models.TextField()
    digest = models.CharField(max_length=64)
    searched_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "recent searches"
        ordering = ["-searched_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["user", "digest"], name="recent_once_per_user_and_words"
            ),
        ]

    def __str__(self) -> str:
        return self.query[:80]


class FocusAsked(models.Model):
    """That somebody was asked for their focus: they are asked once."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        primary_key=True,
        related_name="focus_asked",
    )
    at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return str(self.user_id)


class Question(models.Model):
    """What somebody searched in vain and asks the owners of the library."""

    text = models.TextField()
    note = models.TextField(blank=True, default="")
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="questions_asked"
    )
    asked_at = models.DateTimeField()
    bid = models.ForeignKey(
        Workspace, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="questions_owned",
    )
    state = models.CharField(
        max_length=10, choices=QuestionState, default=QuestionState.OPEN
    )
    item = models.ForeignKey(
        ContentItem, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    reply = models.TextField(blank=True, default="")
    closed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
    )
    closed_at = models.DateTimeField(null=True, blank=True)
    seen_at = models.DateTimeField(
        null=True, blank=True, help_text="When the asker saw the answer"
    )

    class Meta:
        ordering = ["-asked_at", "-id"]
        indexes = [models.Index(fields=["state", "-asked_at"], name="question_queue")]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=QuestionState.values), name="question_state_known"
            ),
        ]

    def __str__(self) -> str:
        return self.text[:80]
