"""Names in a dump whose slices have time for 16 threads each, while one thread ends after each
slice; and how many names there are of the threads that live on."""

import threading

from sampler import core, report

N_THREADS = 100


class Waiting:
    def __init__(self, n):
        self._end = threading.Event()
        self.thread = threading.Thread(target=self._end.wait, name=f"thread {n}")
        self.thread.start()

    def end(self):
        self._end.set()
        self.thread.join()


waiting = [Waiting(n) for n in range(N_THREADS)]
core.cpu_prepare()
rows = core.dump_threads(1, lambda: waiting.pop(0).end())
core.cpu_unprepare()
names = {tid: name for tid, _, _, name, _ in rows}
found = [names.get(each.thread.native_id) == each.thread.name for each in waiting]
report(n_ended=N_THREADS - len(found), n_nameless=found.count(False))
for each in waiting:
    each.end()
