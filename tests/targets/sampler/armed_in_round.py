"""A thread that is armed and put outside again during a round of the outside sampler: SO."""

from sampler import Session, core, report

session = Session(hz=1)
changed_ns = core.outside_armed_in_round()
session.stop()
report(refusal=session.refusal, changed_ns=changed_ns)
