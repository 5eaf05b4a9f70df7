import json

import pytest

from operational.pipeline.lines import MAX_TOKENS, telling


def told(paste: str) -> list[str]:
    return [line.text.strip() for line in telling(paste) if line.weight > 0.8]


TRACES = {
    "JavaScript": "TypeError: a.b is not a function\n    at run (/app/x.js:3:7)\n"
    "    at async main (node:internal/x:1:2)",
    "Python": 'Traceback (most recent call last):\n  File "/app/x.py", line 3, in run\n'
    "    go()\nKeyError: 'port'",
    "Java": 'Exception in thread "main" java.lang.IllegalStateException: no port\n'
    "\tat org.example.Main.run(Main.java:17)\n\t... 3 more",
    "Rust": "error[E0382]: use of moved value: `a`\n --> src/main.rs:3:5\n  |\n"
    "3 |     go(a);\n  |        ^ value used here after move",
    "Go": "panic: runtime error: index out of range [3] with length 2\n\n"
    "goroutine 1 [running]:\nmain.main()\n\t/app/main.go:9 +0x1d",
}
FIRST = {
    "JavaScript": ["TypeError: a.b is not a function"],
    "Python": ["KeyError: 'port'"],
    "Java": ['Exception in thread "main" java.lang.IllegalStateException: no port'],
    "Rust": ["error[E0382]: use of moved value: `a`"],
    "Go": ["panic: runtime error: index out of range [3] with length 2"],
}


@pytest.mark.parametrize("language", TRACES)
def test_frames_are_told_from_the_message(language: str) -> None:
    assert told(TRACES[language])[:1] == FIRST[language]
    assert not any("x.js" in line or "x.py" in line for line in told(TRACES[language]))


@pytest.mark.parametrize(
    "line",
    [
        "2026-03-01T10:20:30Z ERROR disk is full",
        "[10:20:30] disk is full",
        "api-1  | disk is full",
        "#24 132.6 disk is full",
        "Mar  1 10:20:30 host disk is full",
        "E   disk is full",
    ],
)
def test_preambles_of_logs_are_left_out(line: str) -> None:
    assert [line.text for line in telling(line)] == ["disk is full"]


def test_a_log_line_in_json_is_read_by_its_fields() -> None:
    row = {
        "level": "error",
        "msg": "disk is full",
        "ctx": {"a": 1},
        "stack": "E: x\n at y",
    }
    assert told(json.dumps(row))[0] == "disk is full"
    assert "level" not in " ".join(told(json.dumps(row)))


def test_a_log_line_in_json_within_another_is_read_too() -> None:
    inner = json.dumps({"level": "error", "msg": "disk “a” is full\nat /x"})
    line = json.dumps({"log": inner + "\n", "stream": "stderr"})
    assert [line.text for line in telling(line)] == ['disk "a" is full', "at /x"]


def test_what_repeats_with_other_numbers_gives_way_to_what_is_new() -> None:
    noise = [f"queue depth={n} lag={n}ms" for n in range(MAX_TOKENS)]
    found = telling("\n".join([*noise, "t.map is gone"]))
    assert found[-1].text == "t.map is gone"


def test_a_paste_is_read_to_a_limit_from_both_ends() -> None:
    paste = "disk is full\n" + "noise 7f3a9c21 \n" * 20_000 + "the end is near"
    found = telling(paste)
    assert sum(len(line.tokens) for line in found) <= MAX_TOKENS + 10
    assert found[0].text == "disk is full"


def test_nothing_gives_nothing() -> None:
    assert telling("\x00\n \x1b[0m\n") == []
