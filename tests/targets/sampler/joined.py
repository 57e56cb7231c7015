"""Number of engine threads in the system's count after they were joined: SO."""

from sampler import core, report

N_JOINS = 300

report(counted=core.joined_threads_counted(N_JOINS))
