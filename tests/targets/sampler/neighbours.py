"""Search for the data stack, while the memory behind a thread state without one looks like a thread
state with one: SO."""

import ctypes

from sampler import core, report

N_TRIES = 2000  # small gaps of malloc are filled first
BLOCK_BYTES = 2000
CHUNK_BYTES = 16384
MOST_BYTES = 640  # of memory behind the state

libc, api = ctypes.CDLL(None), ctypes.pythonapi
for function in (libc.malloc, api.PyInterpreterState_Get, api.PyThreadState_New):
    function.restype = ctypes.c_void_p
for function in (api.PyThreadState_New, api.PyThreadState_Clear, api.PyThreadState_Delete):
    function.argtypes = [ctypes.c_void_p]
libc.malloc.argtypes = [ctypes.c_size_t]


def make_neighbours():
    """Make a thread state without a data stack, and memory behind it."""
    states, found = [], (0, 0)
    while not found[0] and len(states) < N_TRIES:
        states.append(api.PyThreadState_New(api.PyInterpreterState_Get()))
        block = libc.malloc(BLOCK_BYTES)
        if 0 < block - states[-1] < MOST_BYTES - 100:
            found = states[-1], block
    for state in states:
        if state != found[0]:
            api.PyThreadState_Clear(state)
            api.PyThreadState_Delete(state)
    return found


core.cpu_prepare()
before = core.cpu_layout()
core.cpu_unprepare()
state, block = make_neighbours()
# chunk: previous, size, top; the state behind: chunk, top, limit
chunk = ctypes.create_string_buffer(CHUNK_BYTES + 16)
start = (ctypes.addressof(chunk) + 15) // 16 * 16
(ctypes.c_uint64 * 3).from_address(start)[:] = [0, CHUNK_BYTES, 0]
if state:
    fake = (ctypes.c_uint64 * 12).from_address(block + (-block) % 8)
    fake[:] = [start, start + 24, start + CHUNK_BYTES] * 4
core.cpu_prepare()
after = core.cpu_layout()
report(
    refusal="" if state else "no memory lay behind a thread state",
    before=before["datastack_chunk"],
    after=after["datastack_chunk"],
)
