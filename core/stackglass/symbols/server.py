"""Symbol server: names machine code for another process, which keeps its own time for other work.

Reading the symbol tables of large libraries takes seconds. A line of JSON on standard input,
``[pid, [[path, identity, start], …]]``, has a line on standard output, ``[[text, symbol], …]``. It
ends with its input.
"""

from __future__ import annotations

import json
import sys

from stackglass.symbols.symboliser import Symboliser


def serve() -> None:
    """Answer until the input ends."""
    symbolisers: dict[int, Symboliser] = {}
    for line in sys.stdin:
        pid, codes = json.loads(line)
        symboliser = symbolisers.setdefault(pid, Symboliser(pid))
        names = [symboliser.name(*code) for code in codes]
        sys.stdout.write(json.dumps(names) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve()
