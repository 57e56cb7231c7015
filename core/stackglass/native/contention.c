/* Contention's states: see contention.h. */
#include "contention.h"

#include <string.h>

/* Lock-free; 0 unless prepared. */
_Atomic uint64_t sg_contention_now_block_ns, sg_contention_now_fraction;
_Atomic uint32_t sg_contention_now_gil_hz;
static _Atomic bool is_prepared; /* written under the GIL */

const char *sg_contention_prepare(int64_t start_mono_ns) {
    atomic_store(&is_prepared, true);
    return NULL;
}

void sg_contention_set_rates(uint64_t block_ns, uint64_t mutex_fraction, uint32_t gil_hz) {
    bool is_on = atomic_load(&is_prepared);
    atomic_store(&sg_contention_now_block_ns, is_on ? block_ns : 0);
    atomic_store(&sg_contention_now_fraction, is_on ? mutex_fraction : 0);
    atomic_store(&sg_contention_now_gil_hz, is_on ? gil_hz : 0);
}

void sg_contention_unprepare(void) {
    atomic_store(&is_prepared, false);
    sg_contention_set_rates(0, 0, 0);
}

void sg_contention_after_fork_in_child(void) { sg_contention_unprepare(); }

void sg_contention_learn(void) {}

sg_contention_stack sg_contention_take_stack(const void *thread, enum sg_primitive leaf) {
    return SG_CONTENTION_OWN_STACK;
}

uint32_t sg_contention_frames(sg_contention_stack stack, struct sg_frame *frames) { return 0; }

void sg_contention_note_wait(enum sg_contention_kind kind, enum sg_primitive primitive,
                             const void *lock, sg_contention_stack stack, int64_t delay_ns) {}

void sg_contention_note_mutex(enum sg_primitive primitive, const void *lock,
                              const struct sg_contention_waiter *waiters, uint32_t n) {}

void sg_contention_note_gil(pid_t holder, const struct sg_frame *frames, uint32_t depth,
                            uint64_t n_waits, int64_t delay_ns) {}

uint32_t sg_contention_lock(const void *address, enum sg_primitive primitive) { return 0; }

void sg_contention_lock_died(const void *address) {}

size_t sg_contention_read_locks(uint32_t first, sg_contention_lock_fn *deliver, void *context) {
    return 0;
}

size_t sg_contention_read(bool only_changed, sg_contention_bucket_fn *deliver, void *context) {
    return 0;
}

uint64_t sg_contention_whole(double sum) {
    return sum <= 0 ? 0 : sum < 1 ? 1 : sum < 0x1p64 ? (uint64_t)sum : UINT64_MAX;
}

size_t sg_contention_drain_events(sg_contention_event_fn *deliver, void *context) { return 0; }

void sg_contention_status(struct sg_contention_status *status) {
    memset(status, 0, sizeof *status);
    status->is_prepared = atomic_load(&is_prepared);
    status->block_rate_ns = sg_contention_block_rate();
    status->mutex_fraction = sg_contention_mutex_fraction();
    status->gil_hz = sg_contention_gil_hz();
}
