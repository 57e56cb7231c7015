"""Lines of instructions, beside what each Python says of its own code."""

from __future__ import annotations

import json
import subprocess

from harness.matrix import each_python
from harness.pythons import Python
from stackglass.attach.line_tables import find_line

# Of every code object of a module: its table, and the line of each instruction.
SAID = """
import argparse, dis, json, sys, types

def list_codes(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from list_codes(constant)

def list_lines(code):
    if hasattr(code, "co_lines"):
        for start, end, line in code.co_lines():
            for lasti in range(start, end, 2):
                yield lasti, line or 0
        return
    starts = dict(dis.findlinestarts(code))
    line = code.co_firstlineno
    for lasti in range(0, len(code.co_code), 2):
        line = starts.get(lasti, line)
        yield lasti, line

said = []
with open(argparse.__file__) as file:
    for code in list_codes(compile(file.read(), argparse.__file__, "exec")):
        table = code.co_linetable if sys.version_info >= (3, 10) else code.co_lnotab
        said.append((table.hex(), code.co_firstlineno, list(list_lines(code))))
json.dump(said, sys.stdout)
"""


@each_python
def test_lines_are_those_of_python(python: Python) -> None:
    done = subprocess.run(
        [python.executable, "-W", "ignore", "-c", SAID], capture_output=True, check=True
    )
    said = json.loads(done.stdout)
    assert len(said) > 100
    for text, first_line, lines in said:
        table = bytes.fromhex(text)
        found = [[at, find_line(table, first_line, at, python.minor)] for at, _ in lines]
        assert found == lines
        assert find_line(table, first_line, -1, python.minor) == first_line


def test_a_table_that_is_cut_off_has_no_line() -> None:
    for minor in (10, 11):
        assert find_line(b"", 7, 4, minor) == 0
    assert find_line(b"\xf0", 7, 4, 11) == 0
