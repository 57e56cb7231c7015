"""Dumps of threads, tasks and greenlets that a synthetic engine answers with."""

from __future__ import annotations

from harness.synthetic_engine import Stack, SyntheticEngine
from stackglass_viewer.model.proto.wire_pb2 import FromEngine, ThreadDump

_RUNNING, _NOT_BEGUN, _SUSPENDED = 1, 2, 3


def answer_dump(engine: SyntheticEngine, *rows: tuple[str, str, Stack]) -> None:
    """Let the engine answer with a running main thread, and a task or greenlet for each row: name,
    class of a greenlet ("" = a task), stack (empty = it has not begun)."""
    definitions = FromEngine()
    node = engine._node(definitions.batch, ("__main__.main", "shop.serve"))
    dump = ThreadDump(n_slices=1, is_whole=1)
    for field in ThreadDump.DESCRIPTOR.fields:
        if field.name.startswith("thread_"):
            getattr(dump, field.name).append("" if field.type == field.TYPE_STRING else 0)
    dump.thread_tid[0], dump.thread_node[0], dump.thread_state[0] = engine.pid, node, _RUNNING
    dump.thread_name[0] = "MainThread"
    for at, (name, greenlet_type, stack) in enumerate(rows, 1):
        dump.task_id.append(at)
        dump.task_name.append(name)
        dump.task_greenlet_type.append(greenlet_type)
        dump.task_node.append(engine._node(definitions.batch, stack) if stack else 0)
        dump.task_state.append(_SUSPENDED if stack else _NOT_BEGUN)
        dump.task_tid.append(engine.pid if stack else 0)
        dump.task_awaited.append(0)
        dump.task_awaited_type.append("" if greenlet_type else "Future")
        dump.task_labels.append(0)
        dump.task_leaked.append(0)
        dump.task_creator.append(0)
        dump.task_creation.append(0)
        dump.task_since_mono_ns.append(0)
    engine.thread_dump = dump
    engine._out.append(definitions)
