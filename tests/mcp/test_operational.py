"""`operational_search` and the resource of its records."""

from typing import Any

import pytest
from django.core.management import call_command

from accounts.assistants import Caller
from accounts.viewer import Viewer
from core.errors import NotFound
from operational.mcp import DOCUMENTS
from operational.service import OperationalQuery, operational_search, to_json
from tests.mcp.calls import BASE, answer, refusal
from tests.search.conftest import still_clock

__all__ = ["still_clock"]

pytestmark = pytest.mark.django_db


@pytest.fixture
def graph(db: None) -> None:
    call_command("load_operational_sample", verbosity=0)


@pytest.mark.usefixtures("graph")
def test_the_answer_is_that_of_the_service_and_its_text_suffices(
    reader: Viewer,
) -> None:
    asked = "ReferenceError: crypto is not defined"
    found = answer(reader, "operational_search", query=asked)
    same = to_json(operational_search(OperationalQuery.of(asked), reader))
    assert found.data | {"processingTimeMs": 0} == same | {"processingTimeMs": 0}
    block = found.data["debugContext"]
    for told in (
        f"({BASE}/operational/failure/server-module-client-bundle)",
        f"{found.data['confidence']} % sure (symptom)",
        f"Fix ({block['fixState']})",
        block["verifiedFix"],
        *block["preventionChecklist"],
    ):
        assert told in found.text


@pytest.mark.usefixtures("graph")
@pytest.mark.parametrize("context", ["failure", "lesson", "pathway"])
def test_every_block_fits_its_schema_and_is_told(context: str, reader: Viewer) -> None:
    named = {"failure": "debugContext", "lesson": "lessonImpact"}
    found = answer(
        reader,
        "operational_search",
        query="server-module-client-bundle",
        context=context,
    )
    block = found.data[named.get(context, "pathwaySteps")]
    title = next(value for key, value in block.items() if "itle" in key)
    assert title in found.text


@pytest.mark.usefixtures("graph")
def test_no_match_is_an_answer(reader: Viewer) -> None:
    found = answer(reader, "operational_search", query="zebrafish husbandry")
    assert (found.data["matchedEntity"], found.data["confidence"]) == (None, 0)
    assert found.text.startswith("No match")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"query": "x", "type": "poem"}, "type: 'poem' is not one of"),
        ({"query": "x", "context": "poem"}, "context: 'poem' is not one of"),
        ({"query": "x", "q": "x"}, "'q' was unexpected"),
        ({"query": ""}, "query: '' should be non-empty"),
        ({"query": "  "}, "q is missing"),
        ({}, "'query' is a required property"),
    ],
)
def test_what_cannot_be_understood_is_refused_by_name(
    arguments: dict[str, Any], said: str, reader: Viewer
) -> None:
    assert said in refusal(reader, "operational_search", **arguments)


@pytest.mark.usefixtures("graph")
def test_a_record_is_read_whole_by_its_address(reader: Viewer) -> None:
    told = DOCUMENTS[0].read(Caller(reader), "failure/server-module-client-bundle")
    assert "slug: server-module-client-bundle" in told
    for name in ("failure/none", "poem/server-module-client-bundle", "", "x\x00/y"):
        with pytest.raises(NotFound):
            DOCUMENTS[0].read(Caller(reader), name)


@pytest.mark.usefixtures("still_clock", "graph")
def test_calls_draw_on_the_budget_of_the_api(reader: Viewer, settings: Any) -> None:
    settings.OPERATIONAL_PER_MINUTE = 3
    for _ in range(3):
        answer(reader, "operational_search", query="blockJS")
    assert "Too many requests" in refusal(reader, "operational_search", query="blockJS")
