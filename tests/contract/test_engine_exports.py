"""What the injected library holds: its entries, and no function that only others call."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

from native import _core_testing
from stackglass.native import _core, _flight

CORE = Path(__file__).resolve().parents[2] / "core" / "stackglass"
ENTRIES = {"PyInit__core", "stackglass_enter", "stackglass_is_begun"}
REASON = "stackglass_failure"  # data: why it refused to enter, for the process that injected it
USES = ("_core", "core", "loaded", "engine", "self._engine", "load(library)")
"""What production code calls the extension by, as an expression."""


def list_exports(library: str) -> dict[str, str]:
    """Defined dynamic symbols and their types."""
    command = ["readelf", "--dyn-syms", "--wide", library]
    table = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in table.splitlines()]
    return {row[7]: row[3] for row in rows if len(row) > 7 and row[6].isdigit()}


def list_functions(module: object) -> set[str]:
    return {name for name in dir(module) if callable(getattr(module, name)) and name[0] != "_"}


def list_calls(uses: tuple[str, ...] = USES) -> set[str]:
    """Functions of an extension that production Python names."""
    return {
        node.attr
        for path in CORE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in uses
    }


def test_two_entries_are_seen_from_outside() -> None:
    assert list_exports(_core.__file__) == {**dict.fromkeys(ENTRIES, "FUNC"), REASON: "OBJECT"}


def test_production_calls_every_function_and_no_other() -> None:
    assert list_functions(_core) == {name for name in list_calls() if name[0] != "_"}


def test_the_extension_of_the_tests_has_more() -> None:
    """All of the engine's own functions, so that a test can keep to one copy of the globals."""
    assert list_functions(_core) < list_functions(_core_testing)


def test_what_only_tests_reach_is_left_out() -> None:
    """Functions of the engine that the tests' extension has, and the engine's has not."""
    assert has_function(_core_testing.__file__, "sg_sample_log_limit")
    assert not has_function(_core.__file__, "sg_sample_log_limit")
    assert has_function(_core.__file__, "sg_sample_log_read")


def test_what_only_a_recorder_calls_is_in_its_own_library() -> None:
    """The fold of a flight recorder, and the decoder of event blocks that it alone uses."""
    assert list_exports(_flight.__file__) == {"PyInit__flight": "FUNC"}
    assert list_functions(_flight) <= list_calls(("_flight",))
    for name in ("sg_fold_add", "sg_live_blocks_put", "sg_block_decoder_read"):
        assert has_function(_flight.__file__, name)
        assert not has_function(_core.__file__, name)


def has_function(library: str, name: str) -> bool:
    table = subprocess.run(["nm", library], capture_output=True, text=True, check=True).stdout
    return any(line.endswith(f" {name}") for line in table.splitlines())
