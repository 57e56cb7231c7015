"""Options as pprof names them, in either spelling."""

from __future__ import annotations

import argparse
from dataclasses import fields

import pytest

from stackglass_viewer.model.profile.stack_filter import Filters
from stackglass_viewer.reports.arguments import (
    add_base_arguments,
    add_filter_arguments,
    add_trim_arguments,
    add_value_arguments,
    parse_percent,
    read_filters,
)


@pytest.fixture
def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(exit_on_error=False)
    add_filter_arguments(made)
    add_value_arguments(made)
    add_trim_arguments(made)
    add_base_arguments(made)
    return made


def test_nothing_asked_for_is_no_filter(parser: argparse.ArgumentParser) -> None:
    arguments = parser.parse_args([])
    assert read_filters(arguments) == Filters()
    assert (arguments.base, arguments.diff_base, arguments.normalize) == ([], [], False)
    assert (arguments.divide_by, arguments.nodefraction, arguments.unit) == (1.0, 0.0, "")


def test_every_filter_has_its_option(parser: argparse.ArgumentParser) -> None:
    texts = [field.name for field in fields(Filters) if field.name != "noinlines"]
    words = [word for name in texts for word in (f"--{name}", f"of {name}")]
    asked = read_filters(parser.parse_args([*words, "--noinlines", "--relative_percentages"]))
    assert asked == Filters(**{name: f"of {name}" for name in texts}, noinlines=True)


@pytest.mark.parametrize(
    ("word", "name", "value"),
    [
        ("--show-from=x", "show_from", "x"),
        ("--show_from=x", "show_from", "x"),
        ("--prune-from=x", "prune_from", "x"),
        ("--relative-percentages", "relative_percentages", True),
        ("--trim-path=/a:/b", "trim_path", "/a:/b"),
        ("--trim_path=/a:/b", "trim_path", "/a:/b"),
        ("--drop-negative", "drop_negative", True),
        ("--drop_negative", "drop_negative", True),
        ("--divide-by=2", "divide_by", 2.0),
        ("--divide_by=.5", "divide_by", 0.5),
        ("--diff-base=old.pb", "diff_base", ["old.pb"]),
        ("--diff_base=old.pb", "diff_base", ["old.pb"]),
    ],
)
def test_both_spellings(
    parser: argparse.ArgumentParser, word: str, name: str, value: object
) -> None:
    assert getattr(parser.parse_args([word]), name) == value


@pytest.mark.parametrize("word", ["--divide-by=0", "--divide-by=-1", "--divide-by=nan"])
def test_values_are_divided_by_what_is_above_zero(
    parser: argparse.ArgumentParser, word: str
) -> None:
    with pytest.raises(argparse.ArgumentError, match="greater than 0"):
        parser.parse_args([word])


def test_one_base(parser: argparse.ArgumentParser) -> None:
    with pytest.raises(argparse.ArgumentError, match="not allowed with"):
        parser.parse_args(["--base=a", "--diff-base=b"])


def test_an_unknown_granularity_is_refused(parser: argparse.ArgumentParser) -> None:
    with pytest.raises(argparse.ArgumentError, match="granularity"):
        parser.parse_args(["--granularity=atoms"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--divide-by=x"], "'x' is not a number"),
        (["--divide-by=0"], "greater than 0"),
        (["--nodefraction=few"], "'few' is not a number"),
        (["--nodefraction=nan"], "'nan' is not a share"),
        (["--nodefraction=inf"], "'inf' is not a share"),
        (["--nodecount=few"], "'few' is not a whole number"),
        (["--sort=name"], "neither cum nor flat"),
    ],
)
def test_what_is_wrong_is_said(
    parser: argparse.ArgumentParser, words: list[str], said: str
) -> None:
    with pytest.raises(argparse.ArgumentError, match=said):
        parser.parse_args(words)


def test_both_ways_to_sort(parser: argparse.ArgumentParser) -> None:
    wanted = {"--cum": True, "--sort=cum": True, "--sort=flat": False}
    assert {word: parser.parse_args([word]).cum for word in wanted} == wanted
    assert parser.parse_args([]).cum is False


@pytest.mark.parametrize(("text", "percent"), [("5%", 5.0), ("0.5", 0.5), ("0%", 0.0)])
def test_percentages(text: str, percent: float) -> None:
    assert parse_percent(text) == percent


@pytest.mark.parametrize("text", ["", "x", "-1%", "nan", "inf"])
def test_what_is_no_percentage(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=r"not a number|at least 0%"):
        parse_percent(text)


def test_a_count_below_zero_is_the_default() -> None:
    parser = argparse.ArgumentParser()
    add_trim_arguments(parser, max_rows=80)
    assert parser.parse_args(["--nodecount=-1"]).nodecount == 80
    assert parser.parse_args(["--nodecount=0"]).nodecount == 0
