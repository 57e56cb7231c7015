"""Started threads that begin while the recording of starts begins, just after their states were
read. Reports whether all are found."""

from held_threads import births, start_held, stop, tids, wait_until_begun
from sampler import core, report

N = 3

core.cpu_prepare()
start_held(N)
births.release_births_in_sort()
core.creations_open()
before = core.creations_before()
wait_until_begun(N)
found = core.creations_look()
core.creations_close()
core.cpu_unprepare()
stop.set()
report(before=before, are_found=sorted(found) == sorted(tids))
