"""Made-up allocation events with addresses like glibc's, for tests of event blocks."""

from __future__ import annotations

import random
from collections import deque

OBJECT_ALLOC, OBJECT_FREE = 132, 133
NATIVE = 3  # the domain


def list_malloc_events(n: int, n_kept: int, seed: int) -> dict[str, list[int]]:
    """List ``n`` events of a thread that keeps its last ``n_kept`` blocks. One of a hundred frees
    is not of the oldest block. An allocation first reuses a freed chunk of its size."""
    chance = random.Random(seed)
    free: dict[int, list[int]] = {}
    kept: deque[tuple[int, int]] = deque()  # address, bytes of the chunk
    top = 0x7F00_0000_0010
    rows: list[tuple[int, int, int]] = []
    while len(rows) < n:
        if len(kept) >= n_kept:
            if chance.random() < 0.01:
                kept.rotate(-chance.randrange(n_kept))
            address, chunk = kept.popleft()
            free.setdefault(chunk, []).append(address)
            rows.append((OBJECT_FREE, address, 0))
        size = chance.randrange(1, 1200)
        chunk = max(32, (size + 8 + 15) // 16 * 16)
        if free.get(chunk):
            address = free[chunk].pop()
        else:
            address, top = top, top + chunk
        kept.append((address, chunk))
        rows.append((OBJECT_ALLOC, address, size))
    kind, addresses, sizes = zip(*rows[:n], strict=True)
    return {
        "kind": list(kind),
        "address": list(addresses),
        "size": list(sizes),
        "time_ns": list(range(n)),
        "domain": [NATIVE] * n,
    }
