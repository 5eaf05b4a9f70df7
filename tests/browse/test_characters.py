"""No input whatever is an error of ours."""

from urllib.parse import quote

import pytest
from django.test import Client

from tests.browse.pages import titles
from tests.factories.library import item

pytestmark = pytest.mark.django_db

FOUND = [
    "W-2",
    "P-8A",
    "-8a",
    "chase-",
    "H52.1 - x",
    ".test",
    "NT_SUCCESS",
    "C++",
    "C#",
    "$_GET",
    "mysql2date()",
    "(XETRA:",
    "ISO-27001",
    "100%",
    "a_b",
    "étudiant",
    "测试",
]
HOSTILE = [
    *FOUND,
    "\\",
    "'",
    '"unbalanced',
    '"',
    "etudiant",
    "🦊",
    "שלום עולם",
    "\x00",
    "a\x00b",
    "   ",
    "\t\n",
    "%",
    "_",
    "<script>",
    "{{ 7 }}",
    "& | ! ( ) :* <->",
    "-",
    "word " * 400,
    "a" * 65_536,
    "-- ; DROP TABLE",
    "\u202e\u0301",
    "\ufeff",
]


@pytest.mark.parametrize("typed", FOUND)
def test_what_is_typed_is_found(typed: str, as_reader: Client) -> None:
    item(f"About {typed} here", f"The text has {typed} inside a sentence.")
    item("Trains", "Planes.")
    found = titles(as_reader.get("/browse", {"q": typed}))
    assert found[:1] == [f"About {typed} here"]


@pytest.mark.parametrize("path", ["/browse", "/browse/preview"])
@pytest.mark.parametrize("typed", HOSTILE, ids=lambda typed: ascii(typed)[:24])
def test_no_words_break_a_page(path: str, typed: str, as_reader: Client) -> None:
    item("About C++", "a_b")
    response = as_reader.get(path, {"q": typed})
    assert response.status_code in (200, 400)


@pytest.mark.parametrize("name", ["domain", "author", "review", "cursor", "date_from"])
@pytest.mark.parametrize("typed", ["\x00", "'", "\\", "%", "🦊", "a" * 999])
def test_no_filter_breaks_the_page(name: str, typed: str, as_reader: Client) -> None:
    response = as_reader.get("/browse", {name: typed})
    assert response.status_code in (200, 400)


@pytest.mark.parametrize("typed", ["x", "../../etc", "%00", "'", "🦊", "0" * 32])
def test_no_address_of_an_item_breaks(typed: str, as_reader: Client) -> None:
    assert as_reader.get(f"/items/{quote(typed)}").status_code == 404


def test_bytes_that_are_no_text_do_not_break_the_page(as_reader: Client) -> None:
    assert as_reader.get("/browse?q=%ff%fe&domain=%ed%a0%80").status_code == 400
    assert as_reader.get("/browse?q=%ff%fe").status_code == 200
