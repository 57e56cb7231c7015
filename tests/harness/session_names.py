"""The names of a synthetic session: strings, functions, stacks and threads, each sent once."""

from __future__ import annotations

import random

from stackglass_viewer.model.proto.wire_pb2 import Batch

MAIN_TID = 100
WORKER_TID = 101

Stack = tuple[str, ...]  # root first

DEMO_STACKS: tuple[tuple[int, Stack], ...] = (
    (MAIN_TID, ("__main__.main", "shop.serve", "shop.price", "json.decoder.decode")),
    (MAIN_TID, ("__main__.main", "shop.serve", "shop.price", "shop.round_up")),
    (MAIN_TID, ("__main__.main", "shop.serve", "shop.report")),
    (WORKER_TID, ("threading.Thread.run", "shop.clerk", "re.match")),
)


class SessionNames:
    """Numbers of names; new names are added to the current batch."""

    def __init__(self) -> None:
        self._strings: dict[str, int] = {}
        self._functions: dict[str, int] = {}
        self._nodes: dict[Stack, int] = {}
        self._named: set[int] = set()
        self._routes: dict[str, int] = {}  # label sets by route

    def _string(self, batch: Batch, text: str) -> int:
        if not self._strings:
            self._strings[""] = 0
            batch.strings.append("")
        if text not in self._strings:
            self._strings[text] = len(self._strings)
            batch.strings.append(text)
        return self._strings[text]

    def _function(self, batch: Batch, name: str) -> int:
        if name not in self._functions:
            text, file = self._string(batch, name), self._string(batch, name.split(".")[0] + ".py")
            self._functions[name] = len(self._functions)
            batch.function_name.append(text)
            batch.function_system_name.append(text)
            batch.function_filename.append(file)
            batch.function_start_line.append(1)
            batch.location_function.append(self._functions[name])
            batch.location_line.append(3)
        return self._functions[name]

    def _node(self, batch: Batch, stack: Stack) -> int:
        if () not in self._nodes:
            self._nodes[()] = 0
            batch.node_parent.append(0)
            batch.node_location.append(0)
        if stack not in self._nodes:
            parent = self._node(batch, stack[:-1])
            location = self._function(batch, stack[-1])
            self._nodes[stack] = len(self._nodes)
            batch.node_parent.append(parent)
            batch.node_location.append(location)
        return self._nodes[stack]

    def _label_set(self, batch: Batch, route: str) -> int:
        if route not in self._routes:
            self._routes[route] = len(self._routes) + 1
            batch.label_set.append(self._routes[route])
            batch.label_key.append(self._string(batch, "route"))
            batch.label_value.append(self._string(batch, route))
        return self._routes[route]

    def _name_thread(self, batch: Batch, tid: int) -> None:
        if tid not in self._named:
            self._named.add(tid)
            name = {MAIN_TID: "MainThread", WORKER_TID: "clerk 1"}.get(tid, f"thread {tid}")
            batch.thread_tid.append(tid)
            batch.thread_name.append(self._string(batch, name))


def make_stacks(n: int, depth: int) -> tuple[tuple[int, Stack], ...]:
    """Make ``n`` distinct stacks of a made-up program."""
    chance = random.Random(1)
    return tuple(
        (
            chance.choice((MAIN_TID, WORKER_TID)),
            tuple(
                f"package{level % 7}.module.Class.method_{level}_{chance.randrange(1 + level // 3)}"
                for level in range(depth)
            ),
        )
        for _ in range(n)
    )
