"""Symbol server: names and lines of machine code, for a process that must not wait for them.

Reading the tables of large libraries takes seconds. A request is a line of JSON on standard input,
its answer a line of JSON on standard output::

    ["name", pid, [[path, identity, start], …]]
        → [[text, symbol], …]
    ["locate", pid, [[path, identity, address], …]]
        → [[[text, symbol, file, line, start_line], …], …], the lines of each address
    ["problems", pid, []]
        → [text, …], the reasons why lines are missing
    ["forget", pid, []]
        → []; files are read again

The server ends with its input.
"""

from __future__ import annotations

import json
import sys

from stackglass.symbols.symboliser import Symboliser


def serve() -> None:
    """Answer until the input ends."""
    symbolisers: dict[int, Symboliser] = {}
    for line in sys.stdin:
        action, pid, codes = json.loads(line)
        symboliser = symbolisers.get(pid) or symbolisers.setdefault(pid, Symboliser(pid))
        if action == "forget":
            symbolisers.pop(pid, None)
            answers: list[object] = []
        elif action == "problems":
            answers = list(symboliser.list_problems())
        else:
            ask = symboliser.locate if action == "locate" else symboliser.name
            answers = [ask(*code) for code in codes]
        sys.stdout.write(json.dumps(answers) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve()
