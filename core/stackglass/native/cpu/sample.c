/* Time stamps of samples: units of time since the start. */
#include "cpu/sample.h"

#include <stdatomic.h>

#include "platform/time.h"

static _Atomic int64_t start_ns; /* lock-free; CLOCK_MONOTONIC */

void sg_sample_set_start(int64_t start_mono_ns) { atomic_store(&start_ns, start_mono_ns); }

uint32_t sg_sample_time(void) {
    int64_t since_ns = sg_time_mono_ns() - atomic_load(&start_ns);
    return since_ns < 0 ? 0 : (uint32_t)(since_ns / SG_TIME_UNIT_NS);
}
