"""Effects of a change of the rate on the next allocation, and on sums."""

from heap import Heap, core, report

FAR = 1 << 50  # bytes from sample to sample: an allocation of 100 is never sampled by chance
NATIVE = 1
facts = {}

with Heap(FAR) as session:
    for i in range(200):
        core.heap_set_rate(FAR + i)
        bytes(100)
        core.heap_note_malloc((1 << 40) + i, 100)
    facts["n_after_change"] = core.heap_status()["n_samples"]


def note(rate, address):
    """Record a block so large that it is sampled at this rate; all calls have one line."""
    core.heap_set_rate(rate)
    core.heap_note_malloc(address, 1 << 24)


with Heap(FAR) as session:
    n_rates = 3000  # too many to be kept apart by chance
    for rate in range(1, n_rates + 1):
        note(rate, (1 << 40) + (rate << 24))
    core.heap_set_rate(0)
    rows = [row for row in session.read() if row.kind == NATIVE]
    facts["n_rates"] = len({row.rate for row in rows})
    facts["n_buckets"] = len(rows)
    facts["most_in_one"] = max(row.live.allocs for row in rows)
    facts["n_wanted"] = n_rates
report(**facts)
