"""A holder of the GIL that ends before its thread state is read: SO."""

from gil import core, report

refusal = core.cpu_prepare()
report(refusal=refusal, has_gil=core.gil_holder_frees_its_state())
core.cpu_unprepare()
