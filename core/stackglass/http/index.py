"""Index: the page that lists the profiles, as Go's does."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from urllib.parse import quote

from stackglass.http.messages import Listed

OTHERS = (
    Listed("cmdline", "The command line of the program, its words separated by NUL", 0),
    Listed(
        "profile",
        "CPU profile. The seconds parameter is its duration. Open the file in Stackglass, or with "
        "go tool pprof.",
        0,
    ),
    Listed("symbol", "Answers that there are no symbols: profiles carry their names", 0),
    Listed("trace", "Answers that there is none: Python has no execution trace", 0),
    Listed(
        "wall",
        "All threads by the wall clock, running or not, with their states. The seconds parameter "
        "is its duration.",
        0,
    ),
)

_HEAD = """\
<html>
<head>
<title>/debug/pprof/</title>
<style>
.profile-name{
	display:inline-block;
	width:6rem;
}
</style>
</head>
<body>
/debug/pprof/
<br>
<p>Set debug=1 as a query parameter to export in legacy text format</p>
<br>
Types of profiles available:
<table>
<thead><td>Count</td><td>Profile</td></thead>
"""
_MIDDLE = """\
</table>
<a href="goroutine?debug=2">full dump of all threads' stacks</a>
<br>
<p>
Profile Descriptions:
<ul>
"""
_END = """\
</ul>
</p>
</body>
</html>"""


def render(profiles: Iterable[Listed]) -> str:
    """The page as HTML."""
    listed = sorted([*profiles, *OTHERS])
    rows = (
        f"<tr><td>{each.n_stacks}</td><td><a href='{quote(each.name, safe='')}?debug=1'>"
        f"{escape(each.name)}</a></td></tr>\n"
        for each in listed
    )
    texts = (
        f"<li><div class=profile-name>{escape(each.name)}: </div> {escape(each.description)}</li>\n"
        for each in listed
    )
    return "".join([_HEAD, *rows, _MIDDLE, *texts, _END])
