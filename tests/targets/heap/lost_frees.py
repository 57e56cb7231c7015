"""Native blocks of one thread, freed by more threads than there are lanes: SO."""

import base64
import threading
import time

from heap import core, report

N_THREADS, FIRST, BYTES = 320, 0x7000_0000_0000, 64

addresses = [FIRST + number * BYTES for number in range(N_THREADS)]
starts, frees, ends = (threading.Barrier(N_THREADS + 1) for _ in range(3))


def free_one(address: int) -> None:
    starts.wait()
    core.trace_native_free(address)
    frees.wait()
    ends.wait()  # all threads live while the trace is read


refusal = core.cpu_prepare() or core.trace_begin(time.monotonic_ns())
assert refusal is None, refusal
core.trace_set_native(True)
threading.stack_size(256 * 1024)
threads = [threading.Thread(target=free_one, args=(address,)) for address in addresses]
for thread in threads:
    thread.start()
for address in addresses:
    core.trace_native_alloc(address, BYTES)
starts.wait()
frees.wait()
core.trace_set_native(False)

blocks = []
is_all, has_loss = False, True
while not is_all or has_loss:
    payload, packing, raw_bytes, is_all, has_loss = core.trace_fill()
    blocks.append((base64.b64encode(payload).decode(), packing, raw_bytes))
ends.wait()
for thread in threads:
    thread.join()
is_ended = core.trace_end()
core.cpu_unprepare()
report(blocks=blocks, is_ended=is_ended, addresses=addresses)
