"""A walk of a thread whose state is freed meanwhile: SO."""

from sampler import Session, core, report

session = Session(hz=0)
walked = core.outside_walk_freed_state()
session.stop()
report(has_base_frame=walked is not None, walked=walked)
