import pytest

from operational.pipeline.templates import compile_template


@pytest.mark.parametrize(
    ("recorded", "shown"),
    [
        ("Route … used `…`.", "route … used …"),
        ("Got {name} of {count:d}", "got … of …"),
        ("open %s: %d bytes", "open … bytes"),
        ("Missing ${variable}", "missing …"),
        ("Cannot find <name> here", "cannot find … here"),
        ("<Html> should not be imported", "html should not be imported"),
        ("TypeError: x is not a function", "typeerror … is not a function"),
        ("digits must be between 0 and 100", "digits must be between … and …"),
        ("cannot open /etc/passwd now", "cannot open … now"),
        ("HTTP 401 Unauthorized", "http 401 unauthorized"),
        ("Cannot set property x of #<Object>", "cannot set property … of …"),
        ("error[E0382]", "error e0382"),
        ("Spread ...iterable fails", "spread iterable fails"),
    ],
)
def test_what_is_marked_or_varies_is_free(recorded: str, shown: str) -> None:
    assert compile_template(recorded).shown == shown


def test_quoted_values_that_are_not_marked_are_literal() -> None:
    fs = compile_template("Module not found: Can't resolve 'fs'")
    path = compile_template("Module not found: Can't resolve 'path'")
    assert fs.shown == "module not found cannot resolve fs"
    assert fs.key != path.key


def test_one_template_has_one_key_however_it_is_written() -> None:
    one = compile_template("Cannot  access '…' before initialization")
    other = compile_template("can't access {name} before initialization.")
    assert one.key == other.key
    # Stored keys outlive an improvement of the algorithm: this one may never change
    # without raising VERSION.
    assert one.key == "2c121c5446ea338fe70735fe199491cf"


def test_a_message_of_values_alone_is_known_by_them() -> None:
    assert compile_template("1.2.3").shown == "1.2.3"


def test_an_example_lends_its_wording_not_its_values() -> None:
    text = "can't find crate for `cookie_monster`"
    assert compile_template(text, free_quotes=True).shown == "cannot find crate for …"
