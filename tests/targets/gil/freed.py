"""The thread that has the GIL ends before its state can be looked at: SO."""

from gil import core, report

refusal = core.cpu_prepare()
report(refusal=refusal, has_gil=core.gil_holder_frees_its_state())
core.cpu_unprepare()
