"""The API's page in a real browser, under the policy of all pages."""

import pytest
from playwright.sync_api import expect

from tests.browser import Visit

pytestmark = pytest.mark.browser


def test_the_page_works_without_a_violation_of_the_policy(
    visit: Visit, transactional_db: None
) -> None:
    visit.go("/api/docs")
    search = visit.page.locator("#operations-Search-search")
    expect(search).to_contain_text("/api/search", timeout=15_000)
    search.locator("button.opblock-summary-control").click()
    expect(search).to_contain_text("similar_to")
