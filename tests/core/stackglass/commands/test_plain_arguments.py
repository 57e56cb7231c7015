"""Arguments that are read without argparse: never otherwise than argparse reads them."""

from __future__ import annotations

import argparse
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stackglass.commands import catalogue, plain_arguments
from stackglass.commands.argument_parser import ArgumentParser
from stackglass.errors import UsageError

NAMES = ("threads", "waits", "ps")
"""Commands whose arguments are plain."""
WORDS = st.sampled_from(
    [
        *("4711", "-1", "0", "", "x", "--", "-", "1.5", "1e400", "nan", "3"),
        *("--watch", "--timeout", "--debug", "--json", "--leaks", "--no-labels", "--all"),
        *("--watch=2", "--wat", "-h", "--help", "--debug=2"),
    ]
)


def parse(name: str, words: list[str]) -> dict[str, Any] | None:
    """What argparse makes of them; None = an error, or help."""
    parser = ArgumentParser(allow_abbrev=False)
    catalogue.load(name).add_arguments(parser)
    try:
        return vars(parser.parse_args(words, argparse.Namespace(command=[])))
    except (UsageError, SystemExit):
        return None


def read(name: str, words: list[str]) -> dict[str, Any] | None:
    found = plain_arguments.read(catalogue.load(name).add_arguments, words, command=[])
    return None if found is None else vars(found)


@pytest.mark.parametrize("name", NAMES)
@given(words=st.lists(WORDS, max_size=6))
def test_what_is_read_is_what_argparse_reads(name: str, words: list[str]) -> None:
    found = read(name, words)
    assert found is None or found == parse(name, words)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("threads", "4711"),
        ("threads", "4711 --json"),
        ("threads", "--debug 2 --no-labels 4711"),
        ("threads", "--watch 1.5 --timeout 3 --leaks 4711"),
        ("waits", "4711 --all --json"),
        ("ps", ""),
    ],
)
def test_what_is_usual_needs_no_argparse(name: str, line: str) -> None:
    found = read(name, line.split())
    assert found is not None
    assert found == parse(name, line.split())


@pytest.mark.parametrize(
    "line",
    ["", "x", "1 2", "1 --debug 3", "1 --debug", "1 --json --debug 1", "1 --watch 0", "1 --help"],
)
def test_what_is_wrong_is_left_to_argparse(line: str) -> None:
    assert read("threads", line.split()) is None
    assert parse("threads", line.split()) is None


@pytest.mark.parametrize("name", ["threads", "waits"])
def test_watching_needs_no_duration(name: str) -> None:
    """As people write it, ``threads PID --watch``: once a second."""
    for line in ("4711 --watch", "4711 --watch --json", "--watch --json 4711"):
        assert read(name, line.split()) is None
        found = parse(name, line.split())
        assert found is not None
        assert found["watch"] == 10**9


def test_what_is_declared_otherwise_is_left_to_argparse() -> None:
    def declare(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("pid", type=int)
        parser.add_argument("--name", action="append")

    def group(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("pid", type=int)
        parser.add_argument_group("others").add_argument("--name")

    def text(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("pid", type=int, default="7", nargs="?")

    for add_arguments in (declare, group, text):
        assert plain_arguments.read(add_arguments, ["1"]) is None
