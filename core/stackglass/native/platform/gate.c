/* Gates: opening, shutting, and waiting until no thread is inside. */
#include "platform/gate.h"

#include "platform/futex.h"

enum { PAUSE_NS = 100 * 1000, N_PAUSES = 10000 };

struct sg_gate_state sg_gate_all[SG_N_GATES];

void sg_gate_open(enum sg_gate gate) {
    atomic_store(&sg_gate_all[gate].is_stuck, false);
    atomic_store(&sg_gate_all[gate].is_open, true);
}

void sg_gate_shut(enum sg_gate gate) { atomic_store(&sg_gate_all[gate].is_open, false); }

static bool is_empty(enum sg_gate gate) { return atomic_load(&sg_gate_all[gate].n_inside) == 0; }

bool sg_gate_wait(enum sg_gate gate) {
    for (int i = 0; !is_empty(gate) && i < N_PAUSES; i++)
        sg_futex_sleep_ns(PAUSE_NS);
    /* Read once: a thread that finds the gate shut steps in and out. */
    bool is_now_empty = is_empty(gate);
    atomic_store(&sg_gate_all[gate].is_stuck, !is_now_empty);
    return is_now_empty;
}

void sg_gate_stick(enum sg_gate gate) { atomic_store(&sg_gate_all[gate].is_stuck, true); }

bool sg_gate_none_is_stuck(void) {
    for (int gate = 0; gate < SG_N_GATES; gate++) {
        if (atomic_load(&sg_gate_all[gate].is_stuck))
            return false;
    }
    return true;
}

void sg_gate_discard(enum sg_gate gate) {
    sg_gate_shut(gate);
    atomic_store(&sg_gate_all[gate].n_inside, 0);
    atomic_store(&sg_gate_all[gate].is_stuck, false);
}
