"""Options as pprof's users type them: ``-focus=load``, ``-cum``, ``-inuse_space``, ``-trim=false``.

They are rewritten for argparse: two hyphens, no value for a switch, an option and its value as one
word. Options of pprof that have no use in a report are accepted without effect, as pprof does.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence

from stackglass.errors import UsageError

_WITH_VALUE = {
    *("focus", "ignore", "hide", "show", "show_from", "prune_from", "unit", "sample_index"),
    *("tagfocus", "tagignore", "tagshow", "taghide", "tagroot", "tagleaf", "base", "diff_base"),
    *("nodecount", "nodefraction", "edgefraction", "divide_by", "trim_path", "source_path"),
    *("sort", "granularity"),
}
_ORDERS = {"cum": ("--cum",), "flat": ()}
_SWITCHES = {
    *("noinlines", "relative_percentages", "mean", "drop_negative", "compact_labels", "normalize"),
    *("trim", "cum", "flat", "showcolumns"),
}
_GRANULARITIES = {"functions", "filefunctions", "files", "lines", "addresses"}
_SAMPLE_TYPES = {
    *("inuse_space", "inuse_objects", "alloc_space", "alloc_objects", "contentions"),
    *("total_delay", "mean_delay"),
}
_WITHOUT_EFFECT = {"symbolize", "buildid", "timeout", "tools"}  # options with a value
_SWITCHES_WITHOUT_EFFECT = {"intel_syntax"}
_REFUSED = {
    "call_tree": "stackglass FILE shows the tree of calls",
    "all_frames": "frames that a file wants dropped are dropped when it is read",
}

_OPTION = re.compile(r"--?([a-z][a-z_-]+)(?:=(.*))?", re.DOTALL)
_TRUE = {"1", "t", "T", "true", "TRUE", "True"}
_FALSE = {"0", "f", "F", "false", "FALSE", "False"}


def parse(parser: argparse.ArgumentParser, words: Sequence[str]) -> argparse.Namespace:
    """Parse a command's words; files may come before, between and after options. Raises
    UsageError."""
    return parser.parse_intermixed_args(list(spell_words(words)))


def add_unused_arguments(parser: argparse.ArgumentParser, *names: str) -> None:
    """Declare options that pprof has for every report, but that have no effect on this one."""
    for name in names:
        option = f"--{name.replace('_', '-')}"
        if name in _SWITCHES or name == "no_trim":
            parser.add_argument(option, action="store_true", help=argparse.SUPPRESS)
        else:
            parser.add_argument(option, type=float, default=0.0, help=argparse.SUPPRESS)


def spell_words(words: Sequence[str]) -> Iterator[str]:
    """Return the words, with pprof's options rewritten for argparse and the others unchanged."""
    rest = iter(words)
    for word in rest:
        if word == "--":
            yield word
            yield from rest
            return
        found = _OPTION.fullmatch(word)
        name = found[1].replace("-", "_") if found else ""
        if found is None or not _is_known(name):
            yield word
        elif name in _REFUSED:
            raise UsageError(f"-{name} is not supported", _REFUSED[name])
        elif name in _WITH_VALUE | _WITHOUT_EFFECT:
            value = found[2] if found[2] is not None else next(rest, None)
            if value is None:
                raise UsageError(f"-{name} needs a value", f"-{name}=VALUE")
            if name == "sort":
                yield from _find_order(value)
            elif name in _WITH_VALUE:
                yield f"--{name.replace('_', '-')}={value}"
        else:
            yield from _spell_switch(name, found[2])


def _is_known(name: str) -> bool:
    return name in (
        _WITH_VALUE
        | _SWITCHES
        | _GRANULARITIES
        | _SAMPLE_TYPES
        | _WITHOUT_EFFECT
        | _SWITCHES_WITHOUT_EFFECT
        | _REFUSED.keys()
    )


def _find_order(value: str) -> tuple[str, ...]:
    if value not in _ORDERS:
        raise UsageError(f"-sort={value} is not an order", "-sort=cum or -sort=flat")
    return _ORDERS[value]


def _spell_switch(name: str, value: str | None) -> Iterator[str]:
    if value is not None and value not in _TRUE | _FALSE:
        raise UsageError(f"-{name} is on or off", f"-{name}=true or -{name}=false")
    is_on = value not in _FALSE
    if name == "trim":
        yield from () if is_on else ("--no-trim",)
    elif not is_on or name in _SWITCHES_WITHOUT_EFFECT or name == "flat":
        return
    elif name in _GRANULARITIES:
        yield f"--granularity={name}"
    elif name in ("total_delay", "mean_delay"):
        yield "--sample-index=delay"
        yield from ("--mean",) if name == "mean_delay" else ()
    elif name in _SAMPLE_TYPES:
        yield f"--sample-index={name}"
    else:
        yield f"--{name.replace('_', '-')}"
