"""`manage.py search_diagnose`: a user's own labelled queries."""

import io
import json
import math
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accounts.viewer import Viewer
from kb.domain.lifecycle import archive, supersede
from kb.domain.terms import refresh_statistics
from kb.enums import ReviewStatus
from kb.models import ItemIndex
from search.models import SearchLog
from tests.factories.library import NOW, domain, item

pytestmark = pytest.mark.django_db


def diagnose(tmp_path: Path, text: str, *options: str) -> dict[str, Any]:
    return dict(json.loads(run(tmp_path, text, "--json", *options)))


def run(tmp_path: Path, text: str, *options: str) -> str:
    refresh_statistics(NOW)
    file = tmp_path / "queries"
    file.write_text(text, encoding="utf-8")
    out = io.StringIO()
    call_command("search_diagnose", str(file), *options, stdout=out)
    return out.getvalue()


def lines(*rows: dict[str, Any]) -> str:
    return "\n".join(json.dumps(row) for row in rows)


def test_rank_and_measures_of_what_was_found(tmp_path: Path) -> None:
    first = item("Backup policy", "We restore a backup each quarter.")
    second = item("Backup tiers", "Restore within hours.", source_path="a/tiers.md")
    item("Travel", "Trains before planes.")
    report = diagnose(
        tmp_path,
        lines(
            {"query": "backup policy", "expected": str(first.pk)},
            {"query": "backup policy", "expected": "a/tiers.md"},
            {"query": "backup policy restore", "expected": "backup TIERS"},
        ),
    )
    assert [
        [(each["id"], each["rank"]) for each in found["expected"]]
        for found in report["results"]
    ] == [[(str(first.pk), 1), (str(second.pk), 2)], [(str(second.pk), 2)]]
    assert report["queries"] == 2
    second_alone = 1 / math.log2(3)
    assert report["ndcg_at_10"] == pytest.approx((1 + second_alone) / 2, abs=1e-4)
    assert report["mrr"] == 0.75
    assert report["recall_at_100"] == 1
    assert report["lost"] == {}


def test_which_leg_found_an_item(tmp_path: Path) -> None:
    item("Backup policy", "We restore a backup each quarter.")
    item("Long", "zebrafish " + "other words entirely " * 60)
    report = diagnose(
        tmp_path,
        "query,expected\nbackup policy,Backup policy\nzebrafish colours,Long\n",
    )
    one, other = (found["expected"][0] for found in report["results"])
    assert (one["nearest"], one["words"], one["pin"]) == (1, 1, "exact title")
    assert other["found_by"] == ["words"]
    assert other["cosine"] < 0.2
    assert report["found_by"] == {"nearest": 1, "words": 2, "pin": 1}


def test_what_visibility_lost_is_named(tmp_path: Path) -> None:
    system = Viewer.system()
    item("Draft", "backup", governance_review_status=ReviewStatus.DRAFT)
    archive(system, [item("Archived", "backup").pk], NOW)
    item("Hidden", "backup", hidden_for_approval=True)
    supersede(system, item("Old", "backup").pk, item("New", "backup").pk, NOW, "")
    item("Bare", "backup")
    ItemIndex.objects.filter(item__title="Bare").update(recipe="", embedding=None)
    wanted = ["Draft", "Archived", "Hidden", "Bare", "Old", "Never written"]
    report = diagnose(tmp_path, lines({"query": "backup", "expected": wanted}))
    assert [each["lost"] for each in report["results"][0]["expected"]] == [
        "expected item is a draft",
        "expected item is archived",
        "expected item is hidden until its edit is approved",
        "not embedded",
        "expected item is superseded",
        "no such item",
    ]
    assert report["recall_at_100"] == 0
    assert report["lost"]["no such item"] == 1


def test_what_filters_lost_is_named(tmp_path: Path) -> None:
    item("Backup", primary_domain=domain("Hosting"), content_type="policy")
    item("Other", primary_domain=domain("People"), content_type="article")
    text = (
        "query,expected,domain,content_type\n"
        "backup,Backup,People|Hosting,policy\n"
        "backup,Backup,People,policy\n"
        "backup,Backup,Hosting,article|template\n"
        "backup,Backup,Nowhere,\n"
    )
    report = diagnose(tmp_path, text)
    losses = [found["expected"][0]["lost"] for found in report["results"]]
    assert losses[:3] == [None, "outside domain filter", "outside content_type filter"]
    assert losses[3].startswith("Unknown domain: 'nowhere'")
    assert report["results"][0]["filters"] == {
        "domain": ["People", "Hosting"],
        "content_type": ["policy"],
    }


def test_an_item_that_no_leg_finds_says_how_near_it_was(tmp_path: Path) -> None:
    item("Trains", "Planes.")
    item("Backup")
    report = diagnose(tmp_path, lines({"query": "backup", "expected": "Trains"}))
    lost = report["results"][0]["expected"][0]["lost"]
    assert lost.startswith("no leg found it: its cosine 0.")
    assert lost.endswith("is below 0.2")


def test_people_read_ranks_legs_and_measures(tmp_path: Path) -> None:
    item("Backup policy")
    text = 'query,expected\nbackup policy,Backup policy\n"gone, or not",Nothing\n'
    out = run(tmp_path, text)
    assert "   1  Backup policy  nearest 1, words 1, pin exact title" in out
    assert "lost  Nothing  no such item" in out
    assert "2 queries: nDCG@10 0.500, recall@100 0.500, MRR 0.500" in out
    assert "Lost 1: no such item" in out
    assert not SearchLog.objects.exists()


def test_keyword_mode_can_be_diagnosed_while_embedding_is_down(
    tmp_path: Path, broken_embedder: None
) -> None:
    item("Backup policy", embedded=False)
    row = lines({"query": "backup", "expected": "Backup policy"})
    report = diagnose(tmp_path, row, "--mode", "keyword")
    assert report["results"][0]["expected"][0]["found_by"] == ["words"]
    with pytest.raises(CommandError, match="could not be embedded: down"):
        diagnose(tmp_path, row)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "The first line must name the column"),
        ("query,expected\n", "holds no queries"),
        ("question,expected\na,b\n", "The first line must name the column query"),
        ("query,expected\n,b\n", "Line 2: query must not be empty"),
        ("query,expected\na,\n", "Line 2: expected is missing"),
        ("query,expected,domian\na,b,c\n", "Line 2: Unknown filter: 'domian'"),
        ('{"query": "a"}', "Line 1: expected"),
        ('{"query": "a", "expected": "b"}\n{', "Line 2 is not JSON"),
        ('{"query": "a", "expected": [1]}', "Line 1: expected must be"),
        ('{"query": "a", "expected": "b", "filters": 3}', "filters must be an object"),
        ('{"query": "a", "expected": "b", "freshness": "new"}', "Unknown freshness"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_by_its_line(
    text: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(CommandError) as refused:
        run(tmp_path, text)
    assert said in str(refused.value)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be read: No such file"):
        call_command("search_diagnose", str(tmp_path / "gone.csv"))
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CommandError, match="is not UTF-8"):
        call_command("search_diagnose", str(binary))
