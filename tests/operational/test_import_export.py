import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from accounts.viewer import Viewer
from core.errors import NotAllowed
from operational.domain import links
from operational.domain.entities import archive
from operational.enums import EntityType
from operational.exporters import markdown as exporter
from operational.importers.markdown import draft_of
from operational.importers.service import Report, import_paths
from operational.models import Entity, Failure, Relationship, Symptom

ROW = {
    "slug": "disk-full",
    "title": "Disk full",
    "symptoms": ["No space left on device", "ENOSPC: no space left on device, {op}"],
    "type": "capacity",
    "why": "Logs grow.",
    "fix": "Rotate them.",
    "source": "https://example.org/errors/disk-full",
}


def lines(path: Path, *rows: Any) -> Path:
    text = "\n".join(r if isinstance(r, str) else json.dumps(r) for r in rows)
    path.write_text(text, encoding="utf-8")
    return path


def load(*paths: Path, dry_run: bool = False) -> Report:
    return import_paths(Viewer.system(), paths, dry_run=dry_run)


def counts(report: Report) -> tuple[int, int, int, int]:
    return (
        len(report.created),
        len(report.changed),
        len(report.unchanged),
        len(report.problems),
    )


def test_json_lines_become_failures(db: None, tmp_path: Path) -> None:
    assert counts(load(lines(tmp_path / "a.jsonl", ROW))) == (1, 0, 0, 0)
    failure = Failure.objects.select_related("entity").get()
    assert failure.entity.key == "failure:disk-full"
    assert failure.entity.body == "Logs grow."
    assert failure.entity.source == ROW["source"]
    assert (failure.failure_type, failure.fix_state) == ("capacity", "suggested")
    assert failure.verified_fix == "Rotate them."
    assert [each.text for each in failure.symptoms.all()] == ROW["symptoms"]


def test_importing_twice_changes_nothing(db: None, tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", ROW)
    load(path)
    before = Entity.objects.get().version
    assert counts(load(path)) == (0, 0, 1, 0)
    assert Entity.objects.get().version == before


def test_a_dry_run_tells_and_writes_nothing(db: None, tmp_path: Path) -> None:
    report = load(lines(tmp_path / "a.jsonl", ROW), dry_run=True)
    assert (counts(report), Entity.objects.count()) == ((1, 0, 0, 0), 0)


def test_a_bad_record_is_named_and_stops_no_other(db: None, tmp_path: Path) -> None:
    path = lines(
        tmp_path / "a.jsonl",
        ROW,
        "{",
        "[]",
        ROW | {"slug": "no title", "title": ""},
        ROW | {"slug": "b/c"},
        ROW | {"slug": "c", "symptoms": [3]},
        ROW,
        ROW | {"slug": "good"},
    )
    report = load(path)
    assert [str(ref) for ref in report.created] == ["failure:disk-full", "failure:good"]
    assert [str(each) for each in report.problems] == [
        "a.jsonl:2: It is not valid JSON.",
        "a.jsonl:3: It is not a JSON object.",
        "a.jsonl:4: It has no title.",
        "a.jsonl:5: The slug 'b/c' is not letters and digits joined by '-'.",
        "a.jsonl:6: symptoms is not a list of texts.",
        "a.jsonl: failure:disk-full stands here twice.",
    ]


def test_an_import_takes_back_no_decision_of_the_hub(db: None, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    load(lines(path, ROW))
    Failure.objects.update(fix_state="verified", instance_count=7)
    load(lines(path, ROW | {"why": "Logs grow fast."}))
    failure = Failure.objects.get()
    assert (failure.fix_state, failure.instance_count) == ("verified", 7)


def test_a_message_keeps_its_key(db: None, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    load(lines(path, ROW))
    Symptom.objects.filter(position=0).update(key="made-by-an-older-one")
    load(lines(path, ROW | {"why": "Logs grow fast."}))
    first = Symptom.objects.get(position=0)
    assert first.key == "made-by-an-older-one"


def test_viewers_import_nothing(reader: Viewer, tmp_path: Path) -> None:
    with pytest.raises(NotAllowed):
        import_paths(reader, [lines(tmp_path / "a.jsonl", ROW)])


def test_a_runbook_becomes_a_failure() -> None:
    draft = draft_of(
        "# KubeNodeDown\n\n## Meaning\n\nA node is gone.\n\n## Impact\n\nLess room.\n\n"
        "## Diagnosis\n\nLook.\n\n## Mitigation\n\nAdd one.\n",
        "kubenodedown",
    )
    assert (draft.type, draft.slug, draft.title) == (
        EntityType.FAILURE,
        "kubenodedown",
        "KubeNodeDown",
    )
    assert draft.body == "## Meaning\n\nA node is gone.\n\n## Impact\n\nLess room."
    details: Any = draft.details
    assert details.fix == "## Diagnosis\n\nLook.\n\n## Mitigation\n\nAdd one."
    assert (details.symptoms, details.failure_type) == (("KubeNodeDown",), "alert")


def test_an_error_page_becomes_a_failure() -> None:
    draft = draft_of(
        "---\ntitle: Not found\n---\n\nLead.\n\n## Message\n\n```\nE: x not found\n"
        "E: y not found\n```\n\n## Error type\n\nLookupError\n\n## What went wrong?\n\n"
        "It moved.\n\n### More\n\nFar.\n\n## Possible ways to fix\n\n- Move it back.\n",
        "not-found",
    )
    details: Any = draft.details
    assert details.symptoms == ("E: x not found", "E: y not found")
    assert details.failure_type == "LookupError"
    assert details.fix == "- Move it back."
    assert draft.body == (
        "Lead.\n\n## What went wrong?\n\nIt moved.\n\n### More\n\nFar."
    )


def test_a_post_mortem_becomes_a_failure() -> None:
    draft = draft_of(
        "# Outage of May\n\n## Root cause\n\nA full disk.\n\n## Resolution\n\n"
        "Logs removed.\n\n## Action items\n\n- [ ] Alert at 80 %\n- Rotate\n",
        "outage",
    )
    details: Any = draft.details
    assert details.fix == "Logs removed."
    assert details.prevention_steps == ("Alert at 80 %", "Rotate")
    assert draft.body == "## Root cause\n\nA full disk."


def test_a_name_that_leads_nowhere_is_told_and_tried_again(
    db: None, tmp_path: Path
) -> None:
    lesson = tmp_path / "a-lesson.md"
    lesson.write_text(
        "---\ntype: lesson\ntitle: Rotate logs\nprevents: [disk-full]\n---\nDo.\n"
    )
    report = load(lesson)
    assert [str(each) for each in report.problems] == [
        "lesson:a-lesson: It names failure:disk-full, which is nowhere."
    ]
    load(lines(tmp_path / "b.jsonl", ROW))
    assert counts(load(lesson)) == (0, 1, 0, 0)
    assert Relationship.objects.get().target.slug == "disk-full"


def test_an_export_imports_again_to_the_same_graph(sample: int, tmp_path: Path) -> None:
    assert exporter.write(tmp_path / "one") == sample
    first = _graph()
    for model in (Relationship, Entity):
        model._default_manager.all().delete()
    report = load(tmp_path / "one")
    assert counts(report) == (sample, 0, 0, 0)
    assert _graph() == first
    exporter.write(tmp_path / "two")
    assert _texts(tmp_path / "two") == _texts(tmp_path / "one")
    assert counts(load(tmp_path / "two")) == (0, 0, sample, 0)


def _texts(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in sorted(folder.rglob("*.md"))
    }


def _graph() -> Any:
    return (
        list(Entity.objects.values_list("type", "slug", "title", "body", "tags")),
        list(
            Failure.objects.order_by("entity__slug").values_list(
                "entity__slug",
                "verified_fix",
                "confidence_score",
                "pattern__slug",
                "evidence",
                "last_occurrence",
            )
        ),
        sorted(
            Relationship.objects.values_list("source__slug", "kind", "target__slug")
        ),
        list(
            Symptom.objects.order_by("failure__entity__slug", "position").values_list(
                "text", "key"
            )
        ),
    )


def test_the_sample_is_large_enough(sample: int) -> None:
    def kind(name: str) -> int:
        return Entity.objects.filter(type=name).count()

    assert kind("failure") >= 12
    assert kind("pattern") >= 6
    assert kind("lesson") >= 8
    assert kind("pathway") >= 3
    assert Relationship.objects.count() >= 40


def test_the_sample_is_loaded_once(sample: int, capsys: Any) -> None:
    call_command("load_operational_sample")
    assert "nothing was changed" in capsys.readouterr().out


def test_the_sample_has_no_broken_links(sample: int) -> None:
    assert links.broken() == []


def test_broken_links_and_references_are_named(sample: int, editor: Viewer) -> None:
    lesson = Entity.objects.get(slug="test-deep-links")
    lesson.body = (
        "[a](/operational/failure/nowhere) [b](../b.md) [c](https://) `[d](e)`"
        " [f](https://example.org/f) [g](javascript:x)"
    )
    lesson.save()
    gone = Entity.objects.get(slug="vite-github-pages-spa-routing")
    archive(editor, [gone.pk])
    assert [str(each) for each in links.broken()] == [
        f"{lesson.key}: prevents {gone.key}: It is archived.",
        f"pathway:first-production-release: {gone.key}: It is archived.",
        f"{lesson.key}: /operational/failure/nowhere: There is no such entity.",
        f"{lesson.key}: ../b.md: It is relative to a file that is not here.",
        f"{lesson.key}: https://: It has no host.",
        f"{lesson.key}: javascript:x: javascript: is not shown.",
    ]
