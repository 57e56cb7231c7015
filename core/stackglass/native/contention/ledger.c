/* The path of a record through the ledger. A thread that records never waits.
 *
 *     try_claim ─▶ apply deferred records ─▶ recover ─▶ memo ──known──▶ bucket ─▶ charge
 *       └fails─▶ ring                                     └─new─▶ find_bucket ─────┘
 *                 └full─▶ lost[kind], which the next claim charges to <lost samples> (recover)
 *
 * find_bucket turns stacks and lock into numbers. The memo keeps its answers until a lock with a
 * number dies; if a death is lost, the next claim strikes out every lock. */
#include "contention/ledger.h"

#include <stdatomic.h>

#include "contention/buckets.h"
#include "contention/deferred_records.h"
#include "contention/events.h"
#include "contention/locks.h"
#include "contention/memo.h"
#include "contention/stacks.h"
#include "platform/futex.h"
#include "platform/permitted_calls.h"
#include "platform/thread_ids.h"

static atomic_flag claim = ATOMIC_FLAG_INIT; /* guards buckets, stacks, locks, open events */

/* Lock-free. */
static _Atomic uintptr_t holder;  /* pthread_t of the claim's holder; 0 = none */
static _Atomic bool is_forgetful; /* a death was lost: the next claim strikes out every lock */
static _Atomic uint64_t n_events, n_lost;
static struct {
    _Atomic uint64_t count, ns; /* found no room; not yet charged to <lost samples> */
} lost[SG_N_CONTENTION_KINDS];
static _Atomic bool has_lost;
static uint32_t lost_buckets[SG_N_CONTENTION_KINDS]; /* ids; constant from prepare on */

/* ---- With the claim ---- */

static uint32_t intern(const struct sg_contention_side *side) {
    if (side->stack != SG_CONTENTION_OWN_STACK)
        return sg_contention_stack_node(side->stack);
    return sg_contention_stacks_intern(side->frames, side->depth, 0);
}

/* Store the line that first waits for a lock: the caller of the primitive. */
static void record_place(uint32_t lock, const struct sg_contention_record *record, uint32_t stack) {
    struct sg_frame frames[2];
    bool is_wait = record->kind == SG_CONTENTION_BLOCK || record->kind == SG_CONTENTION_TASK;
    if (is_wait && lock && !sg_contention_locks_has_wait(lock) &&
        sg_stack_tree_get(&sg_contention_stacks, stack, frames, 2) > 1)
        sg_contention_locks_wait(lock, frames[1]);
}

static void charge(uint32_t bucket, const struct sg_contention_record *record) {
    struct sg_contention_event event = {
        .time = record->time,
        .tid = record->tid,
        .bucket = bucket,
        .count = record->count,
        .ns = record->total_ns,
    };
    sg_contention_buckets_add(bucket, record->count, record->total_ns, record->each_ns);
    sg_contention_events_add(&event);
}

/* Distinguish one more lock in the key's group, or use the number of its creation site. */
static void distinguish(struct sg_contention_key *key, const struct sg_contention_record *record) {
    enum sg_primitive is =
        record->lock_type != SG_PRIMITIVE_NONE ? record->lock_type : record->primitive;
    if (!sg_contention_buckets_may_distinguish(key)) {
        key->lock = sg_contention_locks_of_place(record->lock, is);
        key->is_many = true;
    } else if (!key->lock) {
        key->lock = sg_contention_locks_add(record->lock, is);
    }
}

/* Find the record's bucket, or make it. Sets `*is_lasting` if equal records have this bucket until
 * a lock with a number dies. */
static uint32_t find_bucket(const struct sg_contention_record *record, bool *is_lasting) {
    struct sg_contention_key key = {
        .kind = record->kind,
        .primitive = record->primitive,
        .lock = sg_contention_locks_find(record->lock),
        .stack = intern(&record->side),
        .other = intern(&record->other),
        .labels = record->side.labels,
        .other_labels = record->other.labels,
    };
    if (record->lock && !(key.lock && sg_contention_buckets_has(&key)))
        distinguish(&key, record);
    record_place(key.lock, record, key.stack);
    *is_lasting = !key.is_many || !key.lock; /* a lock without a number of its own dies unseen */
    return sg_contention_buckets_find(&key);
}

static void enter(const struct sg_contention_record *record) {
    struct sg_contention_memo *memo = sg_contention_memo_of(record);
    uint32_t bucket = memo ? sg_contention_memo_get(memo, record) : SG_NO_CONTENTION_BUCKET;
    if (bucket == SG_NO_CONTENTION_BUCKET) {
        bool is_lasting;
        bucket = find_bucket(record, &is_lasting);
        if (memo && is_lasting && bucket != SG_NO_CONTENTION_BUCKET)
            sg_contention_memo_put(memo, record, bucket);
    }
    if (bucket == SG_NO_CONTENTION_BUCKET) {
        atomic_fetch_add(&n_lost, 1);
        bucket = lost_buckets[record->kind];
    }
    charge(bucket, record);
}

static void strike(const void *lock) {
    if (sg_contention_locks_strike(lock))
        sg_contention_memo_forget();
}

static void apply(const struct sg_contention_deferred *deferred) {
    if (deferred->is_death)
        strike(deferred->record.lock);
    else
        enter(&deferred->record);
}

/* Charge records that found no room to <lost samples>. If a death was lost, strike out all
 * locks. */
static void recover(void) {
    for (int kind = 0; kind < SG_N_CONTENTION_KINDS; kind++) {
        uint64_t count = atomic_exchange(&lost[kind].count, 0);
        uint64_t ns = atomic_exchange(&lost[kind].ns, 0);
        if (count || ns)
            sg_contention_buckets_add(lost_buckets[kind], (double)count, (double)ns,
                                      count ? ns / count : ns);
    }
    if (atomic_exchange(&is_forgetful, false)) {
        sg_contention_locks_strike_all();
        sg_contention_memo_forget();
    }
}

/* ---- The claim ---- */

static bool take_claim(void) {
    if (atomic_flag_test_and_set_explicit(&claim, memory_order_acquire))
        return false;
    atomic_store_explicit(&holder, sg_thread_ids_self(), memory_order_relaxed);
    return true;
}

void sg_contention_ledger_release(void) {
    atomic_store_explicit(&holder, 0, memory_order_relaxed);
    atomic_flag_clear_explicit(&claim, memory_order_release);
}

/* Take the claim, and apply the deferred records. Returns false if the claim is taken, or while a
 * deferred record is still being written: no later record may overtake it. */
static bool try_claim(void) {
    if (!take_claim())
        return false;
    if (sg_contention_deferred_records_count() && !sg_contention_deferred_records_apply(apply)) {
        sg_contention_ledger_release();
        return false;
    }
    if (atomic_load_explicit(&has_lost, memory_order_relaxed) && atomic_exchange(&has_lost, false))
        recover();
    return true;
}

void sg_contention_ledger_claim(void) {
    while (!try_claim())
        sg_permitted_calls_yield();
}

bool sg_contention_ledger_claim_soon(void) {
    enum { N_TRIES = 100 }; /* some milliseconds at most: the later ones sleep */
    for (uint32_t i = 0; i < N_TRIES; i++) {
        if (try_claim())
            return true;
        if (atomic_load(&holder) == sg_thread_ids_self())
            return false;
        sg_futex_back_off(i);
    }
    return false;
}

/* ---- By threads that record ---- */

static void lose(const struct sg_contention_record *record) {
    atomic_fetch_add(&lost[record->kind].count, (uint64_t)record->count);
    atomic_fetch_add(&lost[record->kind].ns, (uint64_t)record->total_ns);
    atomic_fetch_add(&n_lost, 1);
    atomic_store(&has_lost, true);
}

static void defer(const struct sg_contention_record *record) {
    struct sg_contention_deferred deferred = {.record = *record};
    if (!sg_contention_deferred_records_add(&deferred))
        lose(record);
}

void sg_contention_ledger_enter_all(sg_contention_next_fn *next, void *context) {
    struct sg_contention_record record;
    bool is_claimed = try_claim();
    uint32_t n = 0;
    while (next(context, n, &record)) {
        n++;
        if (is_claimed)
            enter(&record);
        else
            defer(&record);
    }
    if (is_claimed)
        sg_contention_ledger_release();
    atomic_fetch_add_explicit(&n_events, n, memory_order_relaxed);
}

void sg_contention_ledger_enter(const struct sg_contention_record *record) {
    atomic_fetch_add_explicit(&n_events, 1, memory_order_relaxed);
    if (!try_claim()) {
        defer(record);
        return;
    }
    enter(record);
    sg_contention_ledger_release();
}

void sg_contention_ledger_strike(const void *lock) {
    struct sg_contention_deferred deferred = {.is_death = true, .record.lock = lock};
    if (try_claim()) {
        strike(lock);
        sg_contention_ledger_release();
    } else if (!sg_contention_deferred_records_add(&deferred)) {
        atomic_store(&is_forgetful, true);
        atomic_store(&has_lost, true);
    }
}

struct sg_contention_ledger_counts sg_contention_ledger_count(void) {
    return (struct sg_contention_ledger_counts){
        .n_events = atomic_load(&n_events),
        .n_lost = atomic_load(&n_lost),
    };
}

/* Make the buckets of <lost samples>, while there is room. */
static int prepare_lost(void) {
    const struct sg_frame frame = {SG_LOST_SAMPLES, -1};
    uint32_t node = sg_contention_stacks_intern(&frame, 1, 0);
    for (int kind = 0; kind < SG_N_CONTENTION_KINDS; kind++) {
        struct sg_contention_key key = {.kind = (enum sg_contention_kind)kind, .stack = node};
        lost_buckets[kind] = sg_contention_buckets_find(&key);
        if (lost_buckets[kind] == SG_NO_CONTENTION_BUCKET)
            return -1;
    }
    return 0;
}

int sg_contention_ledger_prepare(void) {
    return sg_stack_tree_prepare(&sg_contention_stacks) || sg_contention_buckets_prepare() ||
                   sg_contention_locks_prepare() || sg_contention_deferred_records_prepare() ||
                   sg_contention_events_prepare() || prepare_lost()
               ? -1
               : 0;
}

void sg_contention_ledger_discard(void) {
    sg_contention_ledger_release();
    sg_contention_memo_forget();
    sg_contention_deferred_records_discard();
    sg_contention_buckets_discard();
    sg_contention_stacks_discard();
    sg_contention_locks_discard();
    sg_contention_events_discard();
    for (int kind = 0; kind < SG_N_CONTENTION_KINDS; kind++) {
        atomic_store(&lost[kind].count, 0);
        atomic_store(&lost[kind].ns, 0);
    }
    atomic_store(&has_lost, false);
    atomic_store(&is_forgetful, false);
    atomic_store(&n_events, 0);
    atomic_store(&n_lost, 0);
}
