"""How many engine threads does the system count after they were joined? SO."""

from sampler import core, report

N_JOINS = 300

report(counted=core.joined_threads_counted(N_JOINS))
