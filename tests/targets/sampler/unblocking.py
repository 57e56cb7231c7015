"""Number of waits of a thread while it unblocks and blocks signals: SO."""

import resource
import signal

from sampler import Session, report

SIGNALS = (signal.SIGURG, signal.SIGWINCH)  # signals that the sampler uses
N = 200


def count_waits(how):
    """Voluntary context switches of this thread in a call."""
    before = resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw
    signal.pthread_sigmask(how, SIGNALS)
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw - before


session = Session(hz=100)
n_waits = {how.name: 0 for how in (signal.SIG_BLOCK, signal.SIG_UNBLOCK)}
for _ in range(N):
    for how in (signal.SIG_BLOCK, signal.SIG_UNBLOCK):
        n_waits[how.name] += count_waits(how) > 0
session.stop()
report(refusal=session.refusal, n=N, n_waits=n_waits)
