"""The sets of options that reports are compared with, as pprof's users type them.

``PAIRED`` are taken one by one, in pairs, and some of them three at a time, each pair of
``COLUMNS`` together with ``showcolumns``, all others one by one. ``WHOLE_TABLE`` has 301 sets;
``TABLE``, of the tests, leaves out those where reports differ on purpose (docs/limits.md).
"""

from __future__ import annotations

from itertools import combinations

PAIRED = (
    *("focus=b", "ignore=c", "hide=b", "show=a|c", "show_from=b", "prune_from=c"),
    *("noinlines=true", "relative_percentages=true", "divide_by=7", "sort=cum"),
    *("granularity=lines", "granularity=addresses", "granularity=filefunctions"),
    *("tagroot=route", "tagfocus=1kb:", "taghide=.", "nodecount=5", "nodefraction=0.05"),
)
ALONE = (
    *("focus=^b$", "focus=none_such", "focus=[[:alpha:]]", "ignore=none_such", "hide=.", "show=."),
    *("show_from=none_such", "prune_from=.", "noinlines=false", "trim=false", "edgefraction=0.05"),
    *("trim_path=/src:/usr", "source_path=/my/app", "tagfocus=route=a", "tagignore=.", "taghide=k"),
    *("tagignore=bytes=:1kb", "tagshow=route", "tagleaf=state,k", "tagroot=route,k", "tagroot=x"),
    *("tagfocus=route:", "granularity=functions", "compact_labels=true"),
    *("divide_by=0.5", "sort=flat", "drop_negative=true", "focus=a", "tagroot=wait,bytes"),
)
# Patterns of RE2; ranges in other units; lists of labels.
PATTERNS = (
    *("focus=(?i)B", r"focus=\pL", r"show=\Qb\E", "ignore=^(a|b)$", "hide=[^a]", r"focus=\.go"),
    *("focus=b|c", "focus=/", "ignore=a", "ignore=[.]py", "show=none_such", "hide=none_such"),
    *("show_from=.", "show_from=a|b", "prune_from=^a", "focus="),
)
LABELS = (
    *("tagfocus=bytes=1024b:64kb", "tagfocus=1mb:", "tagfocus=:1mb", "tagfocus=1kb", "tagfocus=."),
    *("tagfocus=route=a,b", "tagfocus=a,b", "tagfocus=(a|b)", "tagfocus=route=^/", "tagfocus=-5:5"),
    *("tagfocus=bytes=:", "tagfocus=1KB:2MB", "tagfocus=1ms:", "tagfocus=k=5", "tagfocus=k=0:9"),
    *("tagfocus=bytes=1kib:", "tagignore=route=a", "tagignore=a", "tagignore=a,b"),
    *("tagignore=k=1:", "tagignore=bytes=1kb", "taghide=route", "tagshow=none_such", "tagshow=."),
    *("tagleaf=bytes", "tagleaf=route,state", "tagroot=bytes", "tagroot=k"),
)
VALUES = (
    *("divide_by=1024", "divide_by=1e3", "nodecount=1", "nodecount=-1", "nodefraction=0.5"),
    *("edgefraction=0.5", "relative_percentages=false", "mean=false", "trim_path=/"),
    *("source_path=/", "intel_syntax=true", "showcolumns=true"),
)
COLUMNS = (
    *(("lines", "noinlines=true"), ("addresses", "noinlines=true"), ("addresses", "sort=cum")),
    *(("functions", "hide=b"), ("filefunctions", "divide_by=7")),
)
_EVERY_TRIPLE = 20
DIFFERING = ("granularity=files", "mean=true")


def _combine(n: int) -> list[list[str]]:
    """Combine ``n`` of the paired options at a time, each option once."""
    together = map(list, combinations(PAIRED, n))
    return [each for each in together if len({one.partition("=")[0] for one in each}) == n]


TABLE = [
    [],
    *([each] for each in (*PAIRED, *ALONE)),
    *_combine(2),
    *([each] for each in (*PATTERNS, *LABELS, *VALUES)),
    *_combine(3)[::_EVERY_TRIPLE],
    *(["showcolumns=true", f"granularity={rows}", other] for rows, other in COLUMNS),
]
WHOLE_TABLE = [
    *TABLE,
    *([each] for each in DIFFERING),
    ["showcolumns=true", "granularity=lines"],
]
