/* The path of a record. ledger.h describes the claim, and why hooks do not wait for it.
 *
 *     try_claim ─▶ apply deferred records ─▶ apply the own record (entries.h) ─▶ release
 *       └fails─▶ defer ─▶ ring ──has room──▶ done
 *                 └─full─▶ sleep 50 µs, then both again, for about a second ─▶ lost
 *
 * A lost record sets is_hopeless, so that later ones do not sleep as well; a lost free also sets
 * is_forgetful. The next claim resets both, and drops all blocks if a free was lost. */
#include "heap/ledger.h"

#include <stdatomic.h>
#include <unistd.h>

#include "heap/arena_events.h"
#include "heap/blocks.h"
#include "heap/buckets.h"
#include "heap/capture.h"
#include "heap/cycles.h"
#include "heap/deferred_records.h"
#include "heap/entries.h"
#include "heap/events.h"
#include "heap/library_calls.h"
#include "heap/stacks.h"
#include "platform/futex.h"
#include "platform/gate.h"
#include "platform/hints.h"
#include "platform/permitted_calls.h"
#include "platform/thread_ids.h"

static atomic_flag claim = ATOMIC_FLAG_INIT; /* guards buckets, stacks, blocks, open events */

/* Lock-free. */
static _Atomic uintptr_t holder;  /* pthread_t of the claim's holder; 0 = none */
static _Atomic bool is_hopeless;  /* a record was lost: do not wait before the next claim */
static _Atomic bool is_forgetful; /* a free was lost: the next claim drops all blocks */
static pid_t process;             /* written by prepare, before any hook */

/* A session is the time between prepare and close. A realloc may outlast the session in which its
 * block was taken out, and the next session's tables do not have that block. So a taken block
 * carries its session's number in the upper 16 bits of the address, which are 0 in user space
 * unless a program asks mmap for such addresses. `session` changes while the gate is shut and no
 * thread is inside the ledger. */
enum { SESSION_SHIFT = 48, N_SESSIONS = (1 << 16) - 1 };
static const uintptr_t ADDRESS = (UINT64_C(1) << SESSION_SHIFT) - 1;
static _Atomic uint64_t session; /* its number, 1 … N_SESSIONS */

/* Records that were lost because the ring was full. Lock-free. */
static _Atomic uint64_t n_lost_allocs, n_lost_frees;

static void count(_Atomic uint64_t *counter) {
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

/* ---- The claim ---- */

void sg_heap_ledger_release(void) {
    atomic_store_explicit(&holder, 0, memory_order_relaxed);
    atomic_flag_clear_explicit(&claim, memory_order_release);
}

/* Go on after records were lost. If one of the records was a free, it is not known any more which
 * blocks are live, so forget all of them. */
SG_COLD static void recover(void) {
    atomic_store(&is_hopeless, false);
    if (atomic_exchange(&is_forgetful, false))
        sg_heap_entries_forget_blocks();
}

/* Take the claim, whether the gate is open or not. Returns false if the claim is taken. */
static bool take_claim(void) {
    if (atomic_flag_test_and_set_explicit(&claim, memory_order_acquire))
        return false;
    atomic_store_explicit(&holder, sg_thread_ids_self(), memory_order_relaxed);
    return true;
}

/* Take the claim, and apply the deferred records. Returns false if the claim is taken, if the
 * ledger is closed, or if the oldest deferred record is still being written. */
static bool try_claim(void) {
    if (!take_claim())
        return false;
    if (!sg_gate_is_open(SG_GATE_HEAP)) { /* there may be no tables */
        sg_heap_ledger_release();
        return false;
    }
    if (sg_heap_blocks_have_deferred() && !sg_heap_deferred_records_apply(sg_heap_entries_apply)) {
        sg_heap_ledger_release();
        return false;
    }
    if (atomic_load_explicit(&is_hopeless, memory_order_relaxed))
        recover();
    return true;
}

bool sg_heap_ledger_claim(void) {
    while (!try_claim()) {
        if (!sg_gate_is_open(SG_GATE_HEAP))
            return false;
        sg_permitted_calls_yield();
    }
    return true;
}

/* The gate (platform/gate.h) is shut first. Once the claim can be taken after that, its last holder
 * is done, and later threads stop at the gate. */
bool sg_heap_ledger_close(void) {
    enum { N_TRIES = 10000, PAUSE_NS = 50 * 1000 }; /* about a second */
    bool is_taken = false;
    sg_gate_shut(SG_GATE_HEAP);
    for (int i = 0; !is_taken && i < N_TRIES; i++) {
        is_taken = take_claim();
        if (!is_taken)
            sg_futex_sleep_ns(PAUSE_NS);
    }
    if (!is_taken) {
        sg_gate_stick(SG_GATE_HEAP);
        return false;
    }
    sg_heap_ledger_release();
    return sg_gate_wait(SG_GATE_HEAP);
}

/* ---- By hooks ---- */

/* Is it possible that the holder releases the claim? Not if the holder is this very thread,
 * interrupted by a signal handler; nor if this is a forked child and the holder was a thread of the
 * parent. With the gate shut there is nothing to wait for. */
static bool is_worth_waiting(void) {
    return !atomic_load(&is_hopeless) && sg_gate_is_open(SG_GATE_HEAP) &&
           atomic_load(&holder) != sg_thread_ids_self() && getpid() == process;
}

/* Defer a record. The ring is full if the holder was descheduled, or moves a table of millions of
 * blocks: then wait for the holder, which itself waits for nothing. If the record is lost all the
 * same, it is counted in `counter`. If the lost record was a free, its block would seem live for
 * ever, so the next holder drops all blocks. (A lost put-back or settle leaves its block in no
 * table; its bytes stay in use in the sums.) */
SG_COLD static void defer(const struct sg_heap_record *record, _Atomic uint64_t *counter) {
    enum { N_WAITS = 10000 }; /* about a second */
    bool is_deferred = sg_heap_deferred_records_add(record);
    for (int i = 0; !is_deferred && i < N_WAITS && is_worth_waiting(); i++) {
        sg_futex_sleep_ns(50 * 1000);
        if (try_claim()) {
            sg_heap_entries_apply(record);
            sg_heap_ledger_release();
            return;
        }
        is_deferred = sg_heap_deferred_records_add(record);
    }
    if (is_deferred)
        return;
    if (record->kind != SG_HEAP_RECORD_ALLOC)
        atomic_store(&is_forgetful, true);
    atomic_store(&is_hopeless, true);
    count(counter);
}

static void defer_alloc(const struct sg_heap_moment *moment, const struct sg_heap_alloc *alloc,
                        const struct sg_frame *frames, uint32_t depth) {
    struct sg_heap_record record = {
        .kind = SG_HEAP_RECORD_ALLOC,
        .moment = *moment,
        .alloc = *alloc,
        .depth = depth,
        .frames = frames,
    };
    defer(&record, &n_lost_allocs);
}

void sg_heap_ledger_alloc(const struct sg_heap_moment *moment, const struct sg_heap_alloc *alloc) {
    if (try_claim()) {
        sg_heap_entries_alloc(moment, alloc, sg_heap_stacks_walk(alloc->thread));
        sg_heap_ledger_release();
    } else if (sg_gate_enter(SG_GATE_HEAP)) {
        uint32_t capacity = sg_heap_capture_depth;
        struct sg_frame frames[capacity];
        uint32_t depth = sg_heap_capture_frames(alloc->thread, frames, capacity);
        defer_alloc(moment, alloc, frames, depth);
        sg_gate_leave(SG_GATE_HEAP);
    }
}

void sg_heap_ledger_alloc_at(const struct sg_heap_moment *moment, const struct sg_heap_alloc *alloc,
                             const struct sg_frame *frames, uint32_t depth) {
    if (try_claim()) {
        sg_heap_entries_alloc(moment, alloc, sg_stack_tree_intern(&sg_heap_stacks, frames, depth));
        sg_heap_ledger_release();
    } else if (sg_gate_enter(SG_GATE_HEAP)) {
        defer_alloc(moment, alloc, frames, depth);
        sg_gate_leave(SG_GATE_HEAP);
    }
}

void sg_heap_ledger_free(const struct sg_heap_moment *moment, uintptr_t address) {
    if (try_claim()) {
        sg_heap_entries_free(moment, address);
        sg_heap_ledger_release();
        return;
    }
    if (!sg_gate_enter(SG_GATE_HEAP))
        return;
    struct sg_heap_record record = {.kind = SG_HEAP_RECORD_FREE, .moment = *moment};
    record.taken.address = address;
    defer(&record, &n_lost_frees);
    sg_gate_leave(SG_GATE_HEAP);
}

struct sg_heap_taken sg_heap_ledger_take(const struct sg_heap_moment *moment, uintptr_t address) {
    struct sg_heap_taken taken = {0};
    if (try_claim()) {
        taken = sg_heap_blocks_take(address);
        if (taken.address)
            taken.address |= atomic_load(&session) << SESSION_SHIFT;
        sg_heap_ledger_release();
    } else {
        sg_heap_ledger_free(moment, address);
    }
    return taken;
}

/* Put back or settle a block that was taken out. A block of an earlier session is ignored. */
static void end_taking(enum sg_heap_record_kind kind, const struct sg_heap_moment *moment,
                       const struct sg_heap_taken *taken) {
    struct sg_heap_record record = {.kind = kind, .moment = *moment, .taken = *taken};
    record.taken.address &= ADDRESS;
    if (!sg_gate_enter(SG_GATE_HEAP))
        return;
    if (taken->address >> SESSION_SHIFT == atomic_load(&session)) {
        if (try_claim()) {
            sg_heap_entries_apply(&record);
            sg_heap_ledger_release();
        } else {
            defer(&record, &n_lost_frees);
        }
    }
    sg_gate_leave(SG_GATE_HEAP);
}

void sg_heap_ledger_put_back(const struct sg_heap_moment *moment,
                             const struct sg_heap_taken *taken) {
    end_taking(SG_HEAP_RECORD_PUT_BACK, moment, taken);
}

void sg_heap_ledger_settle(const struct sg_heap_moment *moment, const struct sg_heap_taken *taken) {
    end_taking(SG_HEAP_RECORD_SETTLE, moment, taken);
}

/* ---- Begin and end ---- */

struct sg_heap_ledger_counts sg_heap_ledger_count(void) {
    return (struct sg_heap_ledger_counts){
        .n_samples = sg_heap_entries_samples(),
        .n_lost = sg_heap_entries_lost() + atomic_load(&n_lost_allocs) + sg_arena_events_lost(),
        .n_lost_frees = atomic_load(&n_lost_frees),
    };
}

int sg_heap_ledger_prepare(void) {
    process = getpid();
    if (sg_stack_tree_prepare(&sg_heap_stacks) || sg_heap_buckets_prepare() ||
        sg_heap_blocks_prepare() || sg_heap_deferred_records_prepare() ||
        sg_heap_events_prepare() || sg_arena_events_prepare() || sg_library_calls_prepare_stacks())
        return -1;
    atomic_store(&session, atomic_load(&session) % N_SESSIONS + 1);
    sg_gate_open(SG_GATE_HEAP);
    return 0;
}

void sg_heap_ledger_discard(void) {
    atomic_store(&is_hopeless, false);
    atomic_store(&is_forgetful, false);
    sg_heap_deferred_records_discard();
    sg_heap_buckets_discard();
    sg_heap_stacks_discard();
    sg_heap_events_discard();
    sg_arena_events_discard();
    sg_library_calls_discard_stacks();
    sg_heap_entries_discard();
    sg_heap_cycles_discard();
    atomic_store(&n_lost_allocs, 0);
    atomic_store(&n_lost_frees, 0);
}
