import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.markdown import ANCHOR, MAX_RENDERED, Heading, outline, plain, render

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<b onclick='alert(1)' style='color:red'>x</b>",
    "[x](javascript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "<a href='java\nscript:alert(1)'>x</a>",
    "<iframe src='https://example.org'></iframe>",
    "<svg><script>alert(1)</script></svg>",
    "<form action=/x><input name=q type=password></form>",
    "![x](javascript:alert(1))",
    '<details open ontoggle="alert(1)">x</details>',
    "<<script>alert(1)</script>",
    "```\n</code></pre><script>alert(1)</script>\n```",
    '# x <i id="main">y</i>',
]


@pytest.mark.parametrize("markdown", HOSTILE)
def test_nothing_that_runs_or_loads_comes_out(markdown: str) -> None:
    html = render(markdown)
    tags = re.findall(r"<[^>]*>", html)
    assert not [tag for tag in tags if re.search(r"\son\w+=|style=|script|iframe", tag)]
    assert not [tag for tag in tags if re.search(r"javascript:|data:|password", tag)]
    assert not [tag for tag in tags if "id=" in tag and f'id="{ANCHOR}' not in tag]


@given(st.text(alphabet="<>&\"'/=#[]()!`*_~|-: \nabx", max_size=200))
def test_any_text_renders_to_tags_of_the_list(markdown: str) -> None:
    names = set(re.findall(r"<([a-z0-9]+)", render(markdown)))
    assert names <= set(
        "a b blockquote br code em h2 h3 h4 h5 h6 hr img li ol p pre".split()
    ) | set("s strong table tbody td th thead tr ul h1".split())
    outline(markdown)
    plain(markdown)


def test_placeholders_in_angle_brackets_are_shown_as_typed() -> None:
    html = render("Dear <client name>, use List<String>.\n\n<your-team> answers.")
    assert html == (
        "<p>Dear &lt;client name&gt;, use List&lt;String&gt;.</p>\n"
        "<p>&lt;your-team&gt; answers.</p>\n"
    )


def test_harmless_html_keeps_its_meaning() -> None:
    assert render("a<br>b<sup>2</sup>") == "<p>a<br>b<sup>2</sup></p>\n"


def test_comments_are_not_shown() -> None:
    assert render("a <!-- secret --> b") == "<p>a  b</p>\n"


def test_links_open_no_opener_and_pass_no_rank() -> None:
    assert render(
        "[a](https://example.org) [b](../b.md) [c](mailto:c@example.org)"
    ) == (
        '<p><a href="https://example.org" rel="noopener nofollow">a</a> '
        '<a href="../b.md" rel="noopener nofollow">b</a> '
        '<a href="mailto:c@example.org" rel="noopener nofollow">c</a></p>\n'
    )


def test_bare_addresses_stay_text() -> None:
    assert render("see https://example.org") == "<p>see https://example.org</p>\n"


def test_outside_pictures_become_links_and_own_pictures_stay() -> None:
    assert render("![A *map*](https://example.org/m.png)") == (
        '<p><a href="https://example.org/m.png" rel="noopener nofollow">A map</a></p>\n'
    )
    assert render("![](//example.org/my%20map.png)") == (
        '<p><a href="//example.org/my%20map.png" rel="noopener nofollow">my map.png</a>'
        "</p>\n"
    )
    assert render('<img src="https://example.org/m.png" alt="A &amp; B">') == (
        '<a href="https://example.org/m.png" rel="noopener nofollow">A &amp; B</a>'
    )
    assert render("![own](/media/a.png)") == (
        '<p><img src="/media/a.png" alt="own"></p>\n'
    )


def test_tables_strikethrough_tasks_and_code_are_rendered() -> None:
    assert 'class="align-right">1</td>' in render("|a|\n|-:|\n|1|")
    assert render("~~x~~") == "<p><s>x</s></p>\n"
    assert '<code class="language-python">' in render("```python\nx\n```")
    tasks = render("- [x] done\n- [ ] open")
    assert tasks.count('type="checkbox"') == tasks.count('disabled=""') == 2
    assert tasks.count("checked=") == 1


def test_headings_carry_unique_anchors_that_the_outline_names() -> None:
    markdown = "## Été & co\n\n### `run` it\n\n## Été & co\n\n## ???\n"
    assert outline(markdown) == [
        Heading(2, "s-ete-co", "Été & co"),
        Heading(3, "s-run-it", "run it"),
        Heading(2, "s-ete-co-1", "Été & co"),
        Heading(2, "s-section", "???"),
    ]
    html = render(markdown)
    for heading in outline(markdown):
        assert f'<h{heading.level} id="{heading.id}">' in html


def test_a_heading_named_like_a_numbered_one_keeps_anchors_apart() -> None:
    ids = [heading.id for heading in outline("# a\n\n# a\n\n# a-1\n\n# a\n")]
    assert len(set(ids)) == 4


def test_a_document_with_a_first_level_moves_down_one() -> None:
    assert [heading.level for heading in outline("# A\n\n## B\n")] == [2, 3]
    assert [heading.level for heading in outline("## A\n\n### B\n")] == [2, 3]


def test_placeholders_in_headings_stay_in_the_outline() -> None:
    assert outline("## For <client>") == [Heading(2, "s-for-client", "For <client>")]


def test_links_within_a_document_reach_its_headings() -> None:
    html = render("[go](#Restore-tests)\n\n## Restore tests\n")
    assert 'href="#s-restore-tests"' in html
    assert 'id="s-restore-tests"' in html


def test_plain_text_is_words_block_by_block() -> None:
    markdown = (
        "# A *b*\n\nOne\ntwo <br> `three` ![four](x.png)\n\n- five\n\n```\nsix\n```"
    )
    assert plain(markdown) == "A b\nOne two three four\nfive\nsix"


def test_an_endless_document_is_cut_and_says_so() -> None:
    html = render("word\n\n" * (MAX_RENDERED // 5))
    assert len(html) < 4 * MAX_RENDERED
    assert "too long to show in full" in html
