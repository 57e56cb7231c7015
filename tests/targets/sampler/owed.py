"""Time that a thread's next tick would add, once the thread is armed: SO."""

from sampler import Session, core, report

session = Session(hz=1)
owed_ns = core.outside_owed_after_arming()
session.stop()
report(refusal=session.refusal, owed_ns=owed_ns)
