"""A session's names and stacks."""

from __future__ import annotations

from typing import Any

import pytest

from harness.wire_session import TextSample, WireSession
from stackglass.errors import WireError
from stackglass.symbols.names import name_function
from stackglass.symbols.native_code import NativeName
from stackglass.wire import messages, reader
from stackglass.wire.definitions import Definitions, Line


def take(definitions: Definitions, content: bytes) -> None:
    batch = reader.decode(content)
    assert isinstance(batch, messages.Batch)
    definitions.add(batch)


def test_a_stack_is_reported_from_where_it_ends() -> None:
    wire, definitions = WireSession(), Definitions()
    take(definitions, wire.batch([TextSample("main;serve")], {7: "worker"}))
    take(definitions, wire.batch([TextSample("main;serve;parse")]))
    assert definitions.list_lines(wire.find_node("main;serve;parse")) == (
        Line("parse", "parse.py", 5),
        Line("serve", "serve.py", 5),
        Line("main", "main.py", 5),
    )
    assert definitions.list_lines(0) == ()
    assert (definitions.name_thread(7), definitions.name_thread(8)) == ("worker", "")
    assert definitions.n_nodes == 4


def test_stacks_that_end_in_a_function() -> None:
    wire, definitions = WireSession(), Definitions()
    take(definitions, wire.batch([TextSample("main;f;g"), TextSample("f")]))
    both = {wire.find_node("main;f"), wire.find_node("f")}
    assert set(definitions.find_leaves("f", 0)) == both
    assert list(definitions.find_leaves("f", definitions.n_nodes)) == []


@pytest.mark.parametrize(
    "columns",
    [
        {"strings": ["x"]},
        {"strings": [""], "function_name": [1]},
        {"strings": [""], "thread_tid": [1], "thread_name": [1]},
        {"location_function": [0]},
        {"node_parent": [0, 5], "node_location": [0, 0]},
        {"node_parent": [0, 0], "node_location": [0, 5]},
    ],
    ids=["string 0", "function", "thread", "location", "parent", "line"],
)
def test_what_refers_to_nothing_is_refused(columns: dict[str, Any]) -> None:
    empty: dict[str, Any] = {name: [] for name in messages.Batch._fields}
    for name in ("system_name", "filename", "start_line"):
        empty[f"function_{name}"] = [0] * len(columns.get("function_name", []))
    with pytest.raises(WireError):
        Definitions().add(messages.Batch(**{**empty, **columns}))


def define_native(**more: Any) -> messages.Batch:
    return messages.Batch(
        strings=["", "libx: 0x100", "ab12", "/lib/x.so", "Vec.norm", "vec.pyx"],
        function_name=[0, 1],
        function_system_name=[0, 2],
        function_filename=[0, 3],
        function_start_line=[0, 0],
        function_native_start=[0, 0x100],
        **more,
    )


def test_python_code_may_have_a_name_for_machine_code_and_lose_it_again() -> None:
    """The symbol stays beside it; without a name the library's symbol counts again."""
    named = NativeName("x: sym", "sym")
    definitions = Definitions(lambda *code: named, name_known=name_function)
    definitions.add(
        define_native(known_function=[1], known_name=[4], known_file=[5], known_line=[27])
    )
    assert definitions.native_names == {1: NativeName("x: Vec.norm", "sym")}
    assert [list(column) for column in definitions.functions[2:]] == [[0, 5], [0, 27]]
    definitions.add(
        messages.Batch(known_function=[1], known_name=[0], known_file=[0], known_line=[0])
    )
    assert definitions.native_names == {1: NativeName("x: sym", "sym")}
    assert [list(column) for column in definitions.functions[2:]] == [[0, 3], [0, 0]]
    with pytest.raises(WireError):
        definitions.add(
            messages.Batch(known_function=[2], known_name=[0], known_file=[0], known_line=[0])
        )
    with pytest.raises(WireError):
        definitions.add(
            messages.Batch(known_function=[1], known_name=[9], known_file=[0], known_line=[0])
        )


def test_a_thread_of_c_is_labelled_with_the_python_thread_that_it_goes_back_to() -> None:
    """Also over another thread of C; what began before the attach is not known."""
    definitions = Definitions()
    definitions.add(
        messages.Batch(
            strings=["", "MainThread"],
            thread_tid=[1],
            thread_name=[1],
            started_tid=[20, 30, 50],
            started_by=[1, 20, 40],
            started_by_python=[1, 0, 0],
        )
    )
    by_main = (("started by", "MainThread"),)
    assert definitions.label(20, 0) == (("thread_id", "20"), *by_main)
    assert definitions.label(30, 0) == (("thread_id", "30"), *by_main)
    assert definitions.label(50, 0) == (("thread_id", "50"),)
    assert definitions.label(1, 0) == (("thread", "MainThread"), ("thread_id", "1"))
    again = messages.Batch(started_tid=[20], started_by=[7], started_by_python=[1])
    definitions.add(again)  # its number, used again
    assert definitions.label(20, 0) == (("thread_id", "20"), ("started by", "thread 7"))
