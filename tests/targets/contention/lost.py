"""Short waits of weight ten, more than the ring of deferred records has room for."""

from contention import BLOCK, PRIMITIVES, Contention, core, report

RATE_NS, DELAY_NS, NOTES = 1000, 100, 512

with Contention(RATE_NS) as session:
    core.contention_claim(True)
    core.contention_note_wait(BLOCK, PRIMITIVES["Lock.acquire"], 0x1000, DELAY_NS, 0, 100_000)
    core.contention_claim(False)
    status = core.contention_status()
    rows = session.read(BLOCK)
    lost = [row for row in rows if row.names == ("<lost samples>",)]
    facts = {
        "n_kept": status["n_events"],
        "n_lost": status["n_lost"],
        "lost": [sum(row.count for row in lost), sum(row.total_ns for row in lost)],
        "all": [sum(row.count for row in rows), sum(row.total_ns for row in rows)],
        "weight": RATE_NS / DELAY_NS,
        "each_ns": RATE_NS,
    }
report(**facts)
