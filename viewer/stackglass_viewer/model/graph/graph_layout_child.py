"""Child process that lays out a call graph: reads a request from standard input, and writes places.

`graph_layout` runs this file as a script, without site and without the package. The argument is
the folder that contains graphlay. Request and answer are graphlay's JSON; after an error the
answer is ``{"error": "…"}``. Graphs with many crossing edges may take very long, so CPU time and
memory are limited here.
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
