"""Options as pprof's users type them."""

from __future__ import annotations

import argparse

import pytest

from stackglass.errors import UsageError
from stackglass_viewer import top_command
from stackglass_viewer.commands import peek, traces
from stackglass_viewer.reports.pprof_flags import parse, spell_words


@pytest.mark.parametrize(
    ("typed", "spelled"),
    [
        ("-focus=a=b f.pb", "--focus=a=b f.pb"),
        ("-show_from load f.pb", "--show-from=load f.pb"),
        ("--diff_base old.pb", "--diff-base=old.pb"),
        ("-tagfocus=bytes=1kb:", "--tagfocus=bytes=1kb:"),
        ("-hide -x", "--hide=-x"),
        ("-noinlines -mean=true -drop_negative=1", "--noinlines --mean --drop-negative"),
        ("-noinlines=false -mean=0", ""),
        ("-trim=false -trim -trim=T", "--no-trim"),
        ("-cum -flat -sort=cum -sort=flat", "--cum --cum"),
        ("-lines --addresses", "--granularity=lines --granularity=addresses"),
        ("-inuse_space -mean_delay", "--sample-index=inuse_space --sample-index=delay --mean"),
        ("-showcolumns -granularity=lines", "--showcolumns --granularity=lines"),
        ("-symbolize=none -tools /usr/bin -intel_syntax", ""),
        ("-nodecount=-1 -nodecount 20", "--nodecount=-1 --nodecount=20"),
        ("-n 3 --json -o x.pb -", "-n 3 --json -o x.pb -"),
        ("-- -focus=x", "-- -focus=x"),
    ],
)
def test_each_becomes_the_word_of_ours(typed: str, spelled: str) -> None:
    assert list(spell_words(typed.split())) == spelled.split()


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("-focus", "-focus needs a value"),
        ("-mean=maybe", "-mean is on or off"),
        ("-sort=name", "-sort=name is not an order"),
        ("-call_tree", "-call_tree is not supported"),
    ],
)
def test_what_means_nothing_is_wrong_usage(typed: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        list(spell_words(typed.split()))


def test_files_may_stand_between_options() -> None:
    parser = argparse.ArgumentParser(exit_on_error=False)
    peek.add_arguments(parser)
    arguments = parse(parser, ["a.pb", "-cum", "b.pb", "-focus", "x", "load"])
    assert (arguments.files, arguments.regex) == (["a.pb", "b.pb"], "load")


def test_reports_take_what_they_have_no_use_for() -> None:
    for command in (top_command, traces):
        parser = argparse.ArgumentParser(exit_on_error=False)
        command.add_arguments(parser)
        words = ["f.pb", "-edgefraction=0.1", "-nodecount=5", "-cum", "-trim=false", "-lines"]
        assert parse(parser, words).granularity == "lines"
