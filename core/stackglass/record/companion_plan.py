"""Plan of a companion: what it records, as the words of its command line.

PID PATH SPAN_NS BYTES PROFILE,… TRIGGER…
"""

from __future__ import annotations

from stackglass.errors import UsageError
from stackglass.record.arguments import choose_rates, find_limited_rates
from stackglass.record.flight_plan import Trigger, Window, read_trigger
from stackglass.record.outputs import MEMORY, PROFILES, Output
from stackglass.record.plan import Plan
from stackglass.record.rate_requests import RateRequest
from stackglass.wire.rates import OFF

_WITHOUT_EVENTS = ("heap", "allocs", "threadcreate")


def read_plan(words: list[str]) -> tuple[int, Plan]:
    """The PID, and the plan. Raises UsageError if no flight recorder can do this."""
    pid, path, span_ns, n_bytes, profiles, *triggers = words
    names = {MEMORY, *filter(None, profiles.split(","))}
    for name in sorted(names):
        if name not in PROFILES or name in _WITHOUT_EVENTS:
            known = ", ".join(each for each in PROFILES if each not in _WITHOUT_EVENTS)
            raise UsageError(f"a flight recorder keeps no profile {name!r}", f"one of {known}")
    window = Window(int(span_ns), int(n_bytes), tuple(map(_read, triggers)))
    if triggers and not path:
        raise UsageError("triggers write files", "name one: path='crash-{pid}.sgm'")
    request = RateRequest(
        OFF._replace(**choose_rates(names - {MEMORY}, {}, window)),
        has_memory=True,
        limited=find_limited_rates(window),
    )
    output = Output(MEMORY, path, is_legacy=False).name_process(pid)
    return int(pid), Plan((output,), request, window=window)


def _read(text: str) -> Trigger:
    try:
        return read_trigger(text)
    except ValueError:
        raise UsageError(f"{text!r} is no {read_trigger.__name__}") from None
