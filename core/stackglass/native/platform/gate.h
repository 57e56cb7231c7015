/* Gates: who takes tables away first waits until no thread uses them.
 *
 *     enter ──is open──▶ use the tables ──▶ leave
 *       └──is shut──▶ do without
 *     shut ──▶ wait until no thread is inside ──▶ unmap
 *
 * An interpreter may have a GIL of its own, so the GIL of the thread that withdraws keeps no thread
 * of another interpreter out of a hook. Two atomic additions for each use: not for paths that every
 * call takes. Any thread, async-signal-safe but for the wait. */
#ifndef STACKGLASS_PLATFORM_GATE_H
#define STACKGLASS_PLATFORM_GATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum sg_gate { SG_GATE_HEAP, SG_GATE_CONTENTION, SG_N_GATES };

/* Lock-free. A line for each. */
extern struct sg_gate_state {
    _Alignas(64) _Atomic uint32_t n_inside;
    _Atomic bool is_open;
    _Atomic bool is_stuck; /* the last wait has failed */
} sg_gate_all[SG_N_GATES];

static inline bool sg_gate_is_open(enum sg_gate gate) {
    return atomic_load_explicit(&sg_gate_all[gate].is_open, memory_order_acquire);
}

static inline void sg_gate_leave(enum sg_gate gate) {
    atomic_fetch_sub_explicit(&sg_gate_all[gate].n_inside, 1, memory_order_release);
}

/* True: the tables stay until this thread leaves. */
static inline bool sg_gate_enter(enum sg_gate gate) {
    atomic_fetch_add(&sg_gate_all[gate].n_inside, 1);
    if (atomic_load(&sg_gate_all[gate].is_open))
        return true;
    sg_gate_leave(gate);
    return false;
}

void sg_gate_open(enum sg_gate gate);
/* No thread enters any more. */
void sg_gate_shut(enum sg_gate gate);
/* Wait until no thread is inside; false if one still is after a second: a thread that the system
 * has put aside. Then the tables have to stay. */
bool sg_gate_wait(enum sg_gate gate);
/* The same where something else has shown that a thread is still at work. */
void sg_gate_stick(enum sg_gate gate);
/* Has every gate that was shut been left by all? If not, what lies behind several of them stays. */
bool sg_gate_all_are_left(void);
/* In a forked child: the threads that were inside have stayed behind. */
void sg_gate_discard(enum sg_gate gate);

#endif
