/* The contention profiler's states, and what becomes of a record before the ledger.
 *
 *     unprepared ──prepare──▶ all off ──set_rates──▶ some on, or off again
 *          ▲                     │                        │
 *          └──────unprepare──────┴────────────────────────┘
 *
 *     wait, release ─▶ weight by the rate ──0──▶ dropped
 *                           └─▶ gate ─▶ stack, trimmed ─▶ lock, or object in its place ─▶ ledger
 *
 * The weight is drawn first, so that what is not kept costs no stack. Records of the GIL are
 * sampled before, and come with their stack. Public functions keep errno and enter the gate; the
 * static ones of the same names do the work inside it. What the trimming has seen at the leaf
 * (SG_STACK_…) decides whether the lock is replaced by the object whose method was called, and
 * whether the record is the second half of a wait. */
#include "contention/contention.h"

#include <errno.h>
#include <string.h>

#include "contention/buckets.h"
#include "contention/deferred_records.h"
#include "contention/events.h"
#include "contention/ledger.h"
#include "contention/locks.h"
#include "contention/primitive_functions.h"
#include "contention/sampling.h"
#include "contention/stacks.h"
#include "contention/wait_targets.h"
#include "frames/python_frames.h"
#include "interpreter/calling_thread.h"
#include "interpreter/debug_offsets.h"
#include "interpreter/interpreters.h"
#include "labels/labels.h"
#include "platform/gate.h"
#include "platform/random_bits.h"
#include "platform/thread_ids.h"
#include "platform/time.h"

/* Lock-free; 0 unless prepared. */
_Atomic uint64_t sg_contention_now_block_ns, sg_contention_now_fraction;
_Atomic uint64_t sg_contention_now_stall_ns;
_Atomic uint32_t sg_contention_now_gil_hz;

static _Atomic bool is_prepared;      /* written under the GIL */
static _Atomic uint64_t n_lost_waits; /* in this session; lock-free */
static _Atomic uint64_t sampled_block_ns;
static int64_t start_ns; /* written by prepare under the GIL, before any record */

const char *sg_contention_prepare(int64_t start_mono_ns, uint32_t depth) {
    if (atomic_load(&is_prepared))
        return NULL;
    if (!sg_debug_offsets.minor)
        return "the sampler has to be prepared before the contention profiler";
    const char *problem = sg_calling_thread_prepare();
    if (problem)
        return problem;
    if (!sg_gate_wait(SG_GATE_CONTENTION))
        return "a thread is still inside the contention profiler of an earlier session";
    sg_contention_ledger_discard(); /* frees what unprepare kept, because a thread was inside */
    sg_contention_stacks_depth = sg_stack_depth_clamp(depth);
    if (sg_contention_ledger_prepare()) {
        sg_contention_ledger_discard();
        return "there is no memory for the contention profiler's tables";
    }
    sg_wait_targets_prepare(sg_contention_lock_died); /* on failure none is distinguished */
    sg_python_frames_prepare();
    start_ns = start_mono_ns;
    atomic_store(&n_lost_waits, 0);
    sg_random_bits_seed_anew();
    atomic_store(&sampled_block_ns, 0);
    atomic_store(&is_prepared, true);
    sg_contention_learn();
    sg_gate_open(SG_GATE_CONTENTION);
    return NULL;
}

void sg_contention_unprepare(void) {
    sg_contention_set_rates(0, 0, 0, 0);
    if (!atomic_exchange(&is_prepared, false))
        return;
    sg_gate_shut(SG_GATE_CONTENTION);
    bool is_left = sg_gate_wait(SG_GATE_CONTENTION);
    sg_primitive_functions_forget();
    sg_wait_targets_discard();
    if (is_left)
        sg_contention_ledger_discard();
}

void sg_contention_after_fork_in_child(void) {
    sg_wait_targets_abandon(); /* the GIL may not be held */
    sg_gate_discard(SG_GATE_CONTENTION);
    sg_contention_unprepare();
}

void sg_contention_learn(void) {
    if (atomic_load(&is_prepared))
        sg_primitive_functions_learn();
}

void sg_contention_set_rates(uint64_t block_ns, uint64_t mutex_fraction, uint32_t gil_hz,
                             uint64_t stall_ns) {
    if (!atomic_load(&is_prepared))
        return;
    atomic_store(&sg_contention_now_block_ns, block_ns);
    atomic_store(&sg_contention_now_fraction, mutex_fraction);
    atomic_store(&sg_contention_now_gil_hz, gil_hz);
    atomic_store(&sg_contention_now_stall_ns, stall_ns);
}

/* ---- Records ---- */

static uint64_t positive(int64_t delay_ns) { return delay_ns > 0 ? (uint64_t)delay_ns : 1; }

static struct sg_contention_side side_of(const struct sg_capture *capture, uint32_t labels) {
    return (struct sg_contention_side){
        .depth = capture->depth,
        .frames = capture->frames,
        .labels = labels,
    };
}

static uint32_t own_labels(void) { return sg_labels_of_caller(sg_calling_thread_state(true)); }

static void record_wait(enum sg_contention_kind kind, enum sg_primitive primitive, const void *lock,
                        sg_contention_stack stack, uint32_t labels, uint64_t delay_ns,
                        double weight) {
    uint32_t room = sg_contention_stacks_room();
    struct sg_frame walked[room];
    struct sg_capture capture = {.walked = walked, .room = room};
    struct sg_contention_record record = {
        .kind = kind,
        .primitive = primitive,
        .count = weight,
        .total_ns = weight * (double)delay_ns,
        .each_ns = delay_ns,
        .time = sg_time_units_since(start_ns),
        .tid = sg_thread_ids_own(),
        .side = {.stack = stack, .labels = labels},
    };
    uint32_t traits = stack == SG_STACK_LOST ? 0 : stack & SG_STACK_TRAITS;
    if (stack == SG_CONTENTION_OWN_STACK) {
        sg_contention_stacks_capture(&capture, NULL, primitive);
        /* A stall is over: the thread has the loop's labels again. */
        record.side = side_of(&capture, kind == SG_CONTENTION_STALL ? SG_NO_LABELS : own_labels());
        traits = capture.traits;
        if (kind == SG_CONTENTION_OTHER && capture.is_idle)
            record.kind = SG_CONTENTION_IDLE;
    }
    if (traits & SG_STACK_RESTORES) { /* the second half of a wait: into the first half's bucket */
        record.count = 0;
        if (!sg_primitive_is_asyncio(primitive)) {
            record.primitive = SG_PRIMITIVE_LOCK_ACQUIRE;
            traits |= SG_STACK_SLEEPS;
        }
    }
    record.lock = lock;
    if (traits & SG_STACK_SLEEPS)
        record.lock = stack == SG_CONTENTION_OWN_STACK && sg_interpreters_is_home_thread()
                          ? sg_wait_targets_of(capture.n_primitives, &record.lock_type)
                          : NULL;
    sg_contention_ledger_enter(&record);
}

void sg_contention_record_wait(enum sg_contention_kind kind, enum sg_primitive primitive,
                               const void *lock, sg_contention_stack stack, uint32_t labels,
                               int64_t delay_ns) {
    uint64_t rate = sg_contention_block_rate(), delay = positive(delay_ns);
    bool is_stall = kind == SG_CONTENTION_STALL;
    double weight =
        is_stall ? sg_contention_stall_ns() != 0 : sg_contention_sampling_weigh_wait(delay, rate);
    int saved_errno = errno;
    if (weight > 0 && sg_gate_enter(SG_GATE_CONTENTION)) {
        if (kind == SG_CONTENTION_BLOCK)
            atomic_fetch_add_explicit(&sampled_block_ns, (uint64_t)(weight * (double)delay),
                                      memory_order_relaxed);
        record_wait(kind, primitive, lock, stack, labels, delay, weight);
        sg_gate_leave(SG_GATE_CONTENTION);
    }
    errno = saved_errno;
}

uint64_t sg_contention_sampled_block_ns(void) { return atomic_load(&sampled_block_ns); }

void sg_contention_lose_wait(void) {
    atomic_fetch_add_explicit(&n_lost_waits, 1, memory_order_relaxed);
}

/* A release yields its own record, then one for each waiter. */
struct release {
    struct sg_contention_record record;
    double weight;
    const struct sg_contention_waiter *waiters;
    uint32_t n;
    struct sg_capture other;
};

static bool next_of_release(void *context, uint32_t i, struct sg_contention_record *record) {
    struct release *release = context;
    if (i > release->n)
        return false;
    *record = release->record;
    if (i == 0)
        return true;
    const struct sg_contention_waiter *waiter = &release->waiters[i - 1];
    uint64_t delay = positive(waiter->delay_ns);
    record->kind = SG_CONTENTION_PAIR;
    record->total_ns = release->weight * (double)delay;
    record->each_ns = delay;
    record->other.stack = waiter->stack;
    if (waiter->stack == SG_CONTENTION_OWN_STACK && waiter->thread) {
        sg_contention_stacks_capture(&release->other, waiter->thread, waiter->primitive);
        record->other = side_of(&release->other, SG_NO_LABELS);
    }
    record->other.labels = waiter->labels;
    return true;
}

static void record_release(enum sg_primitive primitive, const void *lock,
                           const struct sg_contention_waiter *waiters, uint32_t n, double weight) {
    uint32_t room = sg_contention_stacks_room();
    struct sg_frame walked[room], other_walked[room];
    struct sg_capture capture = {.walked = walked, .room = room};
    struct release release = {.other = {.walked = other_walked, .room = room}};
    uint64_t sum = 0;
    sg_contention_stacks_capture(&capture, NULL, primitive);
    if ((capture.traits & SG_STACK_WAKES) && !(capture.traits & SG_STACK_HOLDS_UP))
        return;
    for (uint32_t i = 0; i < n; i++)
        sum += positive(waiters[i].delay_ns);
    release.weight = weight;
    release.waiters = waiters;
    release.n = n;
    release.record = (struct sg_contention_record){
        .kind = SG_CONTENTION_MUTEX,
        .primitive = primitive,
        .lock = lock,
        .count = weight,
        .total_ns = weight * (double)sum,
        .each_ns = sum,
        .time = sg_time_units_since(start_ns),
        .tid = sg_thread_ids_own(),
        .side = side_of(&capture, own_labels()),
    };
    if (capture.traits & SG_STACK_WAKES && sg_interpreters_is_home_thread())
        release.record.lock = sg_wait_targets_of(capture.n_primitives, &release.record.lock_type);
    sg_contention_ledger_enter_all(next_of_release, &release);
}

void sg_contention_record_drawn_release(enum sg_primitive primitive, const void *lock,
                                        const struct sg_contention_waiter *waiters, uint32_t n,
                                        double weight) {
    int saved_errno = errno;
    if (n && weight > 0 && sg_contention_mutex_fraction() && sg_gate_enter(SG_GATE_CONTENTION)) {
        record_release(primitive, lock, waiters, n, weight);
        sg_gate_leave(SG_GATE_CONTENTION);
    }
    errno = saved_errno;
}

void sg_contention_record_release(enum sg_primitive primitive, const void *lock,
                                  const struct sg_contention_waiter *waiters, uint32_t n) {
    double weight = n ? sg_contention_sampling_weigh_release(sg_contention_mutex_fraction()) : 0;
    sg_contention_record_drawn_release(primitive, lock, waiters, n, weight);
}

/* Enter a record whose stack may be deeper than what is kept. */
static void enter_cut(struct sg_contention_record *record) {
    uint32_t most = sg_contention_stacks_depth;
    struct sg_frame kept[most];
    if (record->side.depth > most) {
        memcpy(kept, record->side.frames, (most - 1) * sizeof *kept);
        kept[most - 1] = (struct sg_frame){SG_TRUNCATED, -1};
        record->side.frames = kept;
        record->side.depth = most;
    }
    sg_contention_ledger_enter(record);
}

void sg_contention_record_gil(pid_t holder, const struct sg_frame *frames, uint32_t depth,
                              uint32_t labels, uint64_t n_waits, int64_t delay_ns) {
    static const struct sg_frame UNKNOWN = {SG_LOST_SAMPLES, -1};
    uint64_t delay = positive(delay_ns);
    int saved_errno = errno;
    struct sg_contention_record record = {
        .kind = SG_CONTENTION_GIL,
        .primitive = SG_PRIMITIVE_GIL,
        .count = (double)n_waits,
        .total_ns = (double)delay,
        .each_ns = n_waits ? delay / n_waits : delay,
        .time = sg_time_units_since(start_ns),
        .tid = holder,
        .side = {.depth = depth ? depth : 1,
                 .frames = depth ? frames : &UNKNOWN,
                 .labels = depth ? labels : SG_NO_LABELS},
    };
    if (sg_gate_enter(SG_GATE_CONTENTION)) {
        enter_cut(&record);
        sg_gate_leave(SG_GATE_CONTENTION);
    }
    errno = saved_errno;
}

/* ---- Stacks and locks ---- */

static sg_contention_stack take_stack(const void *thread, enum sg_primitive leaf) {
    uint32_t room = sg_contention_stacks_room();
    struct sg_frame walked[room];
    struct sg_capture capture = {.walked = walked, .room = room};
    sg_contention_stack stack = SG_STACK_LOST;
    sg_contention_stacks_capture(&capture, thread, leaf);
    if (sg_contention_ledger_claim_soon()) {
        stack = sg_contention_stacks_intern(capture.frames, capture.depth, capture.traits);
        sg_contention_ledger_release();
    }
    return stack;
}

sg_contention_stack sg_contention_take_stack(const void *thread, enum sg_primitive leaf) {
    int saved_errno = errno;
    sg_contention_stack stack = SG_STACK_LOST;
    if (sg_gate_enter(SG_GATE_CONTENTION)) {
        stack = take_stack(thread, leaf);
        sg_gate_leave(SG_GATE_CONTENTION);
    }
    errno = saved_errno;
    return stack;
}

uint32_t sg_contention_lock(const void *address, enum sg_primitive primitive) {
    int saved_errno = errno;
    uint32_t number = 0;
    if (!sg_gate_enter(SG_GATE_CONTENTION))
        return 0;
    if (sg_contention_ledger_claim_soon()) {
        number = sg_contention_locks_find(address);
        if (!number && sg_contention_locks_count() < SG_CONTENTION_LOCKS / 2)
            number = sg_contention_locks_add(address, primitive);
        else if (!number)
            number = sg_contention_locks_of_place(address, primitive);
        sg_contention_ledger_release();
    }
    sg_gate_leave(SG_GATE_CONTENTION);
    errno = saved_errno;
    return number;
}

void sg_contention_lock_died(const void *address) {
    if (!sg_contention_locks_count() && !sg_contention_deferred_records_count())
        return;
    int saved_errno = errno;
    if (sg_gate_enter(SG_GATE_CONTENTION)) {
        sg_contention_ledger_strike(address);
        sg_gate_leave(SG_GATE_CONTENTION);
    }
    errno = saved_errno;
}

void sg_contention_status(struct sg_contention_status *status) {
    memset(status, 0, sizeof *status);
    status->is_prepared = atomic_load(&is_prepared);
    status->block_rate_ns = sg_contention_block_rate();
    status->mutex_fraction = sg_contention_mutex_fraction();
    status->gil_hz = sg_contention_gil_hz();
    status->n_lost_events = sg_contention_events_lost();
    status->n_bad_walks = sg_contention_stacks_bad_walks();
    status->n_locks = sg_contention_locks_count();
    status->n_buckets = sg_contention_buckets_count();
    status->n_stack_nodes = sg_stack_tree_count(&sg_contention_stacks);
    status->table_bytes = sg_contention_buckets_bytes() +
                          sg_stack_tree_bytes(&sg_contention_stacks) + sg_contention_locks_bytes();
    struct sg_contention_ledger_counts counts = sg_contention_ledger_count();
    uint64_t n_lost = atomic_load(&n_lost_waits);
    status->n_events = counts.n_events + n_lost;
    status->n_lost = counts.n_lost + n_lost;
}
