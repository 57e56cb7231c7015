"""What the program has open stays open, whatever the engine opens and closes."""

from __future__ import annotations

import pytest

from harness.compiled import compile_library, find_compiler
from harness.matrix import some_pythons
from harness.pythons import Python
from harness.session import Session
from harness.targets import Target
from stackglass.wire import requests

N_VISITS, MOMENT_S = 5, 0.1  # a search takes some tenths of a second: leave at any moment of it


@pytest.mark.attach
@pytest.mark.skipif(find_compiler() is None, reason="there is no C compiler")
@some_pythons
def test_leaving_while_a_library_is_searched(python: Python) -> None:
    """The library's file is opened by the engine's writer, in a descriptor table of its own; the
    search is ended by the thread that withdraws, which is in the program's."""
    library = compile_library("heap/many_symbols.c")
    # Preloaded, so that it is among the first that are searched.
    with Target(python, "heap/kept_descriptors.py", LD_PRELOAD=library) as target:
        for number in range(N_VISITS):
            with Session(target.pid, hz=0) as session:
                session._connection.send(requests.encode_set_heap_rate(1 << 20, True))
                session.wait_for_heap(lambda status: status.start_mono_ns > 0)
                session.read_for(number * MOMENT_S)
                session.detach()
        target.finish()
        assert target.read_errors() == ""
