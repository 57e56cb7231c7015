"""The rates that a recording requests, of a new engine and of one that serves other clients.

A rate in force stays as it is unless the command line names another one, or a trigger needs a lower
one; a profile that is off is switched on. A recording requests every rate that it needs, in force
or not: an engine keeps a rate for as long as a client that requested it is connected.
"""

from __future__ import annotations

from stackglass.named_tuple import NamedTuple
from stackglass.wire import requests
from stackglass.wire.rates import Rates


class RateRequest(NamedTuple):
    """The rates of one recording."""

    rates: Rates  # of an engine that starts for this recording; 0 = not recorded
    named: frozenset[str] = frozenset()  # fields of Rates that replace a rate in force
    has_native: bool = True  # heap, memory: also memory that bypasses Python's allocators
    variables: tuple[str, ...] = ()  # context variables that are labels, "module:VAR"
    has_memory: bool = False  # a memory trace
    limited: frozenset[str] = frozenset()  # fields of Rates that a rate in force may not exceed

    def choose(self, in_force: Rates) -> Rates:
        """The rates to request of an engine that has these in force; 0 = leave that rate alone."""
        return Rates(*map(self._choose, Rates._fields, self.rates, in_force))

    def _choose(self, field: str, wanted: int, present: int) -> int:
        if not wanted or not present or field in self.named:
            return wanted
        return min(present, wanted) if field in self.limited else present

    def encode(self, in_force: Rates) -> list[bytes]:
        """The requests to an engine that has these rates in force."""
        rates = self.choose(in_force)
        messages = [requests.encode_label_variables(self.variables)] if self.variables else []
        if rates.heap_rate:
            messages.append(requests.encode_set_heap_rate(rates.heap_rate, self.has_native))
        if self.has_memory:
            messages.append(requests.encode_set_memory_trace(True, self.has_native))
        contention = (
            rates.block_rate_ns or None,
            rates.mutex_fraction or None,
            rates.gil_hz or None,
            bool(rates.has_other) or None,
            rates.stall_ns or None,
        )
        if any(contention):
            messages.append(requests.encode_set_contention_rates(*contention))
        if rates.native_stacks:
            messages.append(requests.encode_set_native_stacks(True))
        if rates.wall_hz:
            messages.append(requests.encode_set_wall_rate(rates.wall_hz))
        if rates.cpu_hz:
            messages.append(requests.encode_set_cpu_rate(rates.cpu_hz))
        return messages

    def list_arguments(self) -> dict[str, int]:
        """The arguments of an engine that starts for this recording (agent/agent.h)."""
        rates = self.rates
        return {
            "hz": rates.cpu_hz,
            "heap": rates.heap_rate,
            "native": int(self.has_native and (rates.heap_rate > 0 or self.has_memory)),
            "trace": int(self.has_memory),
            "block": rates.block_rate_ns,
            "mutex": rates.mutex_fraction,
            "gil": rates.gil_hz,
            "other": rates.has_other,
            "stall": rates.stall_ns,
            "wall": rates.wall_hz,
            "unwind": rates.native_stacks,
        }
