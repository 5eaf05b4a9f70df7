"""Arguments of commands, refused by name when they make no sense."""

from argparse import ArgumentTypeError


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ArgumentTypeError("must be at least 1")
    return number
