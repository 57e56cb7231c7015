"""Texts of a capture's tab: the placeholder of an empty graph, and notices."""

from __future__ import annotations

from stackglass_viewer.model.contention.snapshot import ContentionOffer
from stackglass_viewer.model.units import make_printable, make_sentence
from stackglass_viewer.presenter.live.contention_empty_state import (
    Emptiness,
    ViewScope,
    describe_no_contention,
)
from stackglass_viewer.presenter.settings.heap_texts import describe_no_heap
from stackglass_viewer.presenter.settings.sample_choice import SampleChoice
from stackglass_viewer.presenter.settings.view_state import LiveStatus, Notice

ATTACH_AGAIN = "attach again"
SHOW_WAITS = "show waits"
NOW = "Now"
ABOUT_NOW = "Show current data, not a past moment (Esc)"
_GIL_WAIT_NS = 300_000_000  # a shorter wait for the GIL is not reported
_LONG_GIL_WAIT_NS = 10**9  # the same in a running session
_LEAST_WAITS = (
    (600 * 10**9, "10 minutes"),
    (60 * 10**9, "a minute"),
    (10 * 10**9, "10 seconds"),
    (3 * 10**9, "3 seconds"),
    (10**9, "a second"),
    (_GIL_WAIT_NS, "0.3 seconds"),
)
"""Lengths that the text names: few, so that the notice stays as it is between two of them."""


def describe_placeholder(
    status: LiveStatus,
    choice: SampleChoice | None,
    offer: ContentionOffer | None = None,
    scope: ViewScope | None = None,
) -> Emptiness:
    """Return text and buttons in place of an empty graph.

    ``choice``: the sample type; None = nothing was built yet. ``offer``: the locks, calls and kinds
    of contention to filter by.
    """
    is_of_samples = choice is None or (
        choice.heap is None and choice.contention is None and not choice.custom
    )
    has_heap = choice is not None and choice.heap is not None
    is_wall = choice is not None and choice.is_wall
    has_samples = bool(status.n_wall_samples if is_wall else status.n_samples)
    filtered = _describe_filtered(has_samples, scope) if is_of_samples else None
    match status.phase:
        case "connecting":
            return Emptiness("Attaching…", f"Connecting to process {status.pid}.")
        case "waiting" if status.gil_wait_ns >= _GIL_WAIT_NS:
            text = "\n".join((_describe_gil_wait(status), *_list_outside(status)))
            return Emptiness("Waiting for the GIL", text)
        case "waiting":
            return Emptiness("Attaching…", f"The engine is loaded in process {status.pid}.")
        case "failed":
            return Emptiness("Could not attach", make_sentence(status.message))
        case _ if scope is not None and scope.has_transforms:
            text = "No sample passes the filters. Ctrl+Z undoes the last."
            return Emptiness("Nothing left", text)
        case _ if has_heap and scope is not None and scope.labels and _has_heap_samples(status):
            return _describe_labelled("No memory with these labels", scope)
        case "running" if has_heap:
            return Emptiness(*describe_no_heap(status))
        case _ if _is_in_use(choice, scope):
            return _describe_none_in_use(status)
        case _ if choice is not None and choice.contention is not None:
            return describe_no_contention(choice.contention, status, offer, scope)
        case "running" if choice is not None and choice.custom:
            text = "The program has added none to this profile, or has removed all of them."
            return Emptiness("No values", text)
        case _ if filtered is not None:
            return filtered
        case "running" if is_wall and not status.rates.wall_hz:
            text = "Choose a wall rate above to see all threads, also those that wait."
            return Emptiness("Wall sampling is off", text)
        case "running" if is_wall and status.wall_problem:
            return Emptiness("No wall profile", make_sentence(status.wall_problem))
        case "running" if not is_wall and not status.rates.cpu_hz:
            return Emptiness("Sampling is off", "Choose a CPU rate above to start sampling.")
        case "running" if not is_wall and status.cpu_problem:
            return Emptiness("No CPU profile", make_sentence(status.cpu_problem))
        case _ if is_of_samples and has_samples and scope is not None and scope.span:
            text = "Choose All to see earlier samples, unless they were cleared."
            return Emptiness(f"No samples in the last {scope.span}", text)
        case "running" if not is_wall and scope is not None and scope.is_idle:
            text = "Only threads that use the CPU are here. Choose a wall rate above to see all."
            return Emptiness("No CPU used yet", text)
        case "running":
            return Emptiness("Waiting for samples", "No sample has been captured yet.")
    return Emptiness("No samples", "Nothing was captured in the span shown.")


def _is_in_use(choice: SampleChoice | None, scope: ViewScope | None) -> bool:
    """Whether the memory in use is shown at one moment, not its growth in a span."""
    is_in_use = choice is not None and choice.heap is not None and choice.heap.is_in_use
    return is_in_use and (scope is None or not scope.is_window)


def _describe_none_in_use(status: LiveStatus) -> Emptiness:
    """Return why there is no memory in use at the end of a session."""
    heap = status.heap
    if heap is not None and heap.problem:
        return Emptiness("No heap profile", make_sentence(heap.problem))
    if not _has_heap_samples(status):
        return Emptiness("No memory in use", "No memory data was recorded.")
    return Emptiness("No memory in use", "All sampled blocks had been freed by then.")


def _has_heap_samples(status: LiveStatus) -> bool:
    return status.heap is not None and status.heap.n_samples > 0


def _describe_filtered(has_samples: bool, scope: ViewScope | None) -> Emptiness | None:
    """Return why samples are not shown; None = neither a filter nor the timeline is the cause.
    ``has_samples``: any were captured."""
    if scope is None:
        return None
    if has_samples and scope.labels:
        return _describe_labelled("No samples with these labels", scope)
    if has_samples and scope.threads:
        text = f"The filter shows only {scope.threads}. Choose all threads to see the others."
        return Emptiness("No samples of the chosen threads", text)
    if scope.is_window:
        text = "Nothing was captured in the span that is chosen on the timeline."
        return Emptiness("No samples in this span", text)
    return None


def _describe_labelled(title: str, scope: ViewScope) -> Emptiness:
    labels = make_printable(scope.labels)
    text = f"The filter shows only {labels}. Remove the label from it to see the others."
    return Emptiness(title, text)


def describe_no_memory(status: LiveStatus) -> str:
    """Return the text of a timeline without a point of memory in use."""
    if not status.is_attached:
        return "No memory data was recorded."
    if status.heap is not None and status.heap.problem:
        return make_sentence(status.heap.problem)
    if status.rates.heap_rate or status.phase == "connecting":
        return "No memory data yet."
    return "No memory data yet. Choose a heap rate above to start sampling."


def name_latest(status: LiveStatus, is_paused: bool) -> tuple[str, str]:
    """Return the name of the timeline's latest moment, and a tool tip: in a paused tab, and once
    the session has ended, no reading is of now."""
    if is_paused:
        return "At the pause", "Show the data at the pause, not an earlier moment (Esc)"
    if status.is_attached:
        return NOW, ABOUT_NOW
    return "At the end", "Show the data at the end of the session, not an earlier moment (Esc)"


def choose_notice(
    status: LiveStatus, is_idle: bool, deadlocks: tuple[str, ...] = (), threads: str = ""
) -> Notice | None:
    """Return the notice of a capture; None = there is none. ``is_idle``: the graph shows the
    threads' current stacks. ``deadlocks``: the threads of each known deadlock, in words.
    ``threads``: the threads that a filter shows, in words; "" = all."""
    again = (ATTACH_AGAIN, "Attach again")
    match status.phase:
        case "failed":
            return Notice("error", make_sentence(status.message), ATTACH_AGAIN, "Try again")
        case "ended":
            text = status.message or f"process {status.pid} has ended"
            notice = Notice("info", f"{make_sentence(text)} The captured data is kept.")
            return _add_deadlocks(notice, deadlocks)
        case "lost":
            text = status.message or "the connection was lost"
            kept = f"{make_sentence(text)} The captured data is kept."
            return _add_deadlocks(Notice("warning", kept, *again), deadlocks)
        case "saved":
            return _add_deadlocks(Notice("info", make_sentence(status.message)), deadlocks)
        case "detached":
            return Notice("info", "Detached. The process continues as before.", *again)
    # The notice moves what is below it, perhaps under the pointer: on a busy machine a session has
    # short waits again and again.
    reported_ns = _LONG_GIL_WAIT_NS if status.phase == "running" else _GIL_WAIT_NS
    if status.gil_wait_ns >= reported_ns:
        return Notice("warning", _describe_gil_wait(status), can_close=False)
    if deadlocks and status.phase == "running":
        return Notice("error", _describe_deadlocks(deadlocks), SHOW_WAITS, "Show threads")
    if status.cpu_problem and status.phase == "running":
        return Notice("warning", f"No CPU samples are taken: {status.cpu_problem}.")
    if status.wall_problem and status.phase == "running":
        return Notice("warning", f"No wall samples are taken: {status.wall_problem}.")
    if status.n_unsampled_threads and status.rates.cpu_hz and status.phase == "running":
        # Without their number, which may change all the time: the notice would come again.
        text = "Some threads are not sampled, because there is no room for more."
        return Notice("info", f"{text} Their CPU time is added to that of the others.")
    if is_idle and status.phase == "running":
        text = "No CPU used in this span. The threads' current stacks are shown instead."
        if not status.rates.cpu_hz:  # the process may use the CPU all the same
            text = "No CPU samples in this span, as CPU sampling is off. Stacks that the threads "
            text += "had when the process was last idle are shown instead."
        elif threads:
            text = (
                f"No CPU used in this span by {threads}; the filter hides all other threads. The "
                "current stacks are shown instead."
            )
        return Notice("info", text, SHOW_WAITS, "Show waits", can_close=False)
    figures = status.contention
    if figures is not None and figures.tasks_problem and status.phase == "running":
        missing = "Waits and stalls of asyncio's tasks may be missing"
        return Notice("info", f"{missing}: {figures.tasks_problem}.")
    if status.line_problems and status.phase == "running":
        return Notice("info", "\n".join(map(make_sentence, status.line_problems)))
    return None


def describe_deadlock(cycle: str) -> str:
    """Return a sentence on a deadlock. ``cycle``: its threads, in words."""
    return f"Deadlock: these threads can never continue: {cycle}."


def _add_deadlocks(notice: Notice, deadlocks: tuple[str, ...]) -> Notice:
    """Return the notice on a session that is over, with the deadlocks that it ended with."""
    if not deadlocks:
        return notice
    text = f"{notice.text}\n{_describe_deadlocks(deadlocks)}"
    return Notice("error", text, SHOW_WAITS, "Show threads")


def _describe_deadlocks(deadlocks: tuple[str, ...]) -> str:
    return "\n".join(map(describe_deadlock, deadlocks))


def describe_share_error(status: LiveStatus) -> str:
    """Return how far off CPU shares may be and why; "" = by 5 percentage points at most."""
    if not status.share_error_points:
        return ""
    text = (
        f"CPU shares may be {status.share_error_points} percentage points off while other "
        "processes keep all processors busy."
    )
    cause = status.share_error_cause
    return f"{text}\nCause: {cause}. The total is right." if cause else text


def _describe_gil_wait(status: LiveStatus) -> str:
    least = next(text for ns, text in _LEAST_WAITS if status.gil_wait_ns >= ns)
    waits = (
        f"The engine in process {status.pid} has waited for the GIL for more than {least}. C code "
        "may hold it, or the process gets too little time on a processor."
    )
    if status.phase == "running" and status.rates.cpu_hz and not status.cpu_problem:
        return f"{waits} CPU samples show where; all else continues once the engine has the GIL."
    return f"{waits} The engine continues once it has the GIL."


def _list_outside(status: LiveStatus) -> tuple[str, ...]:
    """Return the lines below the text on a wait for the GIL."""
    return ("", *status.outside_stack) if status.outside_stack else ()
