/* Gate: a counter of the threads that use a table, so that the table is unmapped only when there
 * are none.
 *
 *     enter ──open──▶ use the tables ──▶ leave
 *       └──shut──▶ do not use them
 *     shut ──▶ wait until no thread is inside ──▶ unmap
 *
 * The GIL is no substitute, because an interpreter may have a GIL of its own, and its threads may
 * be in a hook. Each use costs two atomic additions: too much for a path that every call takes. Any
 * thread; async-signal-safe except for the wait. */
#ifndef STACKGLASS_PLATFORM_GATE_H
#define STACKGLASS_PLATFORM_GATE_H

#include "platform/export.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum sg_gate { SG_GATE_HEAP, SG_GATE_CONTENTION, SG_GATE_CREATIONS, SG_N_GATES };

/* Lock-free. A cache line for each. */
extern SG_NEAR struct sg_gate_state {
    _Alignas(64) _Atomic uint32_t n_inside;
    _Atomic bool is_open;
    _Atomic bool is_stuck; /* the last wait failed */
} sg_gate_all[SG_N_GATES];

static inline bool sg_gate_is_open(enum sg_gate gate) {
    return atomic_load_explicit(&sg_gate_all[gate].is_open, memory_order_acquire);
}

static inline void sg_gate_leave(enum sg_gate gate) {
    atomic_fetch_sub_explicit(&sg_gate_all[gate].n_inside, 1, memory_order_release);
}

/* Enter the gate. Returns false if it is shut; else the tables stay mapped until the leave. */
static inline bool sg_gate_enter(enum sg_gate gate) {
    atomic_fetch_add(&sg_gate_all[gate].n_inside, 1);
    if (atomic_load(&sg_gate_all[gate].is_open))
        return true;
    sg_gate_leave(gate);
    return false;
}

void sg_gate_open(enum sg_gate gate);
/* Shut the gate: from now on no thread enters. */
void sg_gate_shut(enum sg_gate gate);
/* Wait until no thread is inside; false if one still is after a second, because the scheduler does
 * not run it. Then the tables have to stay mapped. */
bool sg_gate_wait(enum sg_gate gate);
/* Mark the gate as stuck: the caller knows that a thread is still at work behind it. */
void sg_gate_stick(enum sg_gate gate);
/* Whether no gate is stuck. If one is, tables behind several gates stay mapped. */
bool sg_gate_none_is_stuck(void);
/* Shut and reset the gate in a forked child, where the threads that were inside do not exist. */
void sg_gate_discard(enum sg_gate gate);

#endif
