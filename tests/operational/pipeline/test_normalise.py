import pytest

from operational.pipeline.normalise import (
    CODE,
    NUMBER,
    VALUE,
    WORD,
    clean,
    parts,
    tokens,
)


def texts(text: str) -> list[str]:
    return [token.text for token in tokens(clean(text)) if token.kind != "mark"]


@pytest.mark.parametrize(
    "name",
    [
        "ERR_REQUIRE_ESM",
        "E0382",
        "KubePodCrashLooping",
        "next/image",
        "Access-Control-Allow-Origin",
        "getStaticPaths",
        "next.config.js",
        "std::vec::Vec",
    ],
)
def test_names_and_codes_stay_whole(name: str) -> None:
    found = tokens(f"what is {name}, then?")
    assert [t.text for t in found if t.kind != "mark"][2] == name.casefold()


@pytest.mark.parametrize(
    "value",
    [
        "/usr/lib/x.so",
        "./src/app/page.tsx:12:4",
        "C:\\Users\\me\\x.js:3",
        "https://example.org/a?b=c",
        "2026-03-01T10:20:30.5Z",
        "10:20:30",
        "10.0.0.5:8080",
        "1b4e28ba-2fa1-11d2-883f-0016d3cca427",
        "9f86d081884c7d65",
        "0x7ffee4c0",
        "v1.2.3-rc.1",
        "#ff8800",
        "someone@example.org",
    ],
)
def test_what_varies_is_known_by_its_shape(value: str) -> None:
    assert [(t.text, t.kind) for t in tokens(value)] == [(value.casefold(), VALUE)]


def test_numbers_are_numbers_with_their_units() -> None:
    found = tokens("took 350 ms of 2.5 at 80%")
    assert [t.text for t in found if t.kind == NUMBER] == ["350 ms", "2.5", "80%"]


def test_colours_and_control_characters_are_gone() -> None:
    assert clean("\x1b[31mError\x1b[0m:\x00 \x1b]0;title\x07x [33mred[39m") == (
        "Error: x red"
    )


def test_contractions_are_written_out() -> None:
    for written in ("can't", "can’t", "cannot", "can not", "CAN'T", "cant"):
        assert texts(f"{written} resolve") == ["cannot", "resolve"]
    assert texts("couldn't be") == texts("could not be") == ["could", "not", "be"]


def test_plurals_share_a_stem() -> None:
    one, many = tokens("specifier specifiers")
    assert (one.kind, one.stem) == (WORD, many.stem)
    assert tokens("class")[0].stem == "class"


def test_the_words_inside_a_name_are_found() -> None:
    assert parts("PydanticImportError") == ["pydantic", "import", "error"]
    assert parts("HTTPServer2") == ["http", "server", "2"]
    assert parts("plain") == []


def test_names_are_told_from_words() -> None:
    kinds = {t.text: t.kind for t in tokens("The Edge useState E12 word NASA")}
    assert kinds == {
        "the": WORD,
        "edge": WORD,
        "usestate": CODE,
        "e12": CODE,
        "word": WORD,
        "nasa": WORD,
    }
