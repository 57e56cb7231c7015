"""A thread that comes back and goes outside before the sampler's thread has looked: SO."""

from sampler import Session, core, report

session = Session(hz=1)
are_outside = [core.sampler_back_and_outside(is_first) for is_first in (True, False)]
session.stop()
report(refusal=session.refusal, are_outside=are_outside)
