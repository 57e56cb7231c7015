/* Tick weight: the CPU time that one tick of a thread's clock stands for, before
 * sample_scaling.h scales it. */
#ifndef STACKGLASS_CPU_TICK_WEIGHT_H
#define STACKGLASS_CPU_TICK_WEIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/threads.h"

/* Return the weight of a tick, in ns; 0 = the tick gives no sample. `is_timer`: a CPU timer sent
 * the tick, not a perf event; `pc`: where the tick interrupted the thread. Stores the time of the
 * tick in the slot. Called by the signal handler, on the slot's own thread. */
uint64_t sg_tick_weight_take(struct sg_slot *slot, bool is_timer, uintptr_t pc);

#endif
