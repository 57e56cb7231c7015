"""The process that lays out a call graph: a request on standard input, places on standard output.

Run as a file of its own, without site and without this package. The argument is the folder that
graphlay is in. Both are graphlay's JSON; where it fails the answer is ``{"error": "…"}``. How long
a layout takes depends on how edges cross, so that time and memory are bounded here.
"""

from __future__ import annotations

import json
import resource
import sys

_MAX_CPU_S = 20
_MAX_BYTES = 2 << 30


def main() -> None:
    for what, most in ((resource.RLIMIT_CPU, _MAX_CPU_S), (resource.RLIMIT_AS, _MAX_BYTES)):
        resource.setrlimit(what, (most, most))
    sys.path.insert(0, sys.argv[1])
    import graphlay

    request = json.load(sys.stdin)
    try:
        made = graphlay.layout(request["graph"], options=request["options"]).to_dict()
    except graphlay.GraphlayError as error:
        made = {"error": " ".join(str(error).split())}
    json.dump(made, sys.stdout)


if __name__ == "__main__":
    main()
