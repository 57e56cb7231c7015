"""The table of options that reports are compared with: 198 sets, as pprof's users type them.

``PAIRED`` are taken one by one and in pairs, ``ALONE`` one by one; ``DIFFERING`` are those where
reports differ on purpose (docs/limits.md), which the table of all tests leaves out.
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
DIFFERING = ("granularity=files", "mean=true")
TABLE = [
    [],
    *([each] for each in (*PAIRED, *ALONE)),
    *(
        [one, other]
        for one, other in combinations(PAIRED, 2)
        if one.partition("=")[0] != other.partition("=")[0]
    ),
]
WHOLE_TABLE = [*TABLE, *([each] for each in DIFFERING)]
