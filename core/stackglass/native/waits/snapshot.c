/* Takes a snapshot in slices. Each slice is one call of sg_waits_snapshot_continue, so the program
 * runs between them.
 *
 *     see_threads   read each thread once, newest first: next_id is where the last slice ended
 *     check_waits   passes over the waits that the hooks recorded, until one is complete in time
 *     finish        in the slice of the last pass: holders, cycles, stacks of holders
 *
 * A pass has a number, `check`, and marks each wait that it finds with it. A wait that the hooks
 * recorded is reported only if the last pass has found it, because the GIL has been held since. A
 * wait from before the hooks is reported if its thread's CPU clock has not advanced since the
 * thread was read.
 *
 * Half of a slice is for new waits, half for `finish`. Numbering a wait target allocates a Python
 * object. Up to 3.9 that may run a garbage collection, and so code of the program. So targets are
 * numbered after the pass (number_all), and up to 3.9 another pass follows. */
#include "waits/snapshot.h"

#include <Python.h>

#include <string.h>

#include "cpu/snapshot.h"
#include "interpreter/debug_offsets.h"
#include "interpreter/interpreters.h"
#include "interpreter/python_symbols.h"
#include "lock_holders/holders.h"
#include "lock_holders/with_block_holders.h"
#include "lock_holders/with_blocks.h"
#include "platform/engine_threads.h"
#include "platform/futex_sleepers.h"
#include "platform/memory.h"
#include "platform/time.h"
#include "platform/vector.h"
#include "waits/deadlocks.h"
#include "waits/joined_threads.h"
#include "waits/preattach_waits.h"
#include "waits/snapshot_threads.h"

/* MOST_CHECKS: passes that may find new waits; later waits are left to the next snapshot. */
enum { MOST_CHECKS = 16, LAST_MINOR_THAT_COLLECTS = 9, LAST_MINOR_WITHOUT_HANDLES = 12 };

/* A wait that the hooks recorded, indexed by its entry in their table. */
struct known {
    int64_t since_mono_ns; /* identifies the wait, together with the entry; 0 = none yet */
    uint32_t check;        /* the last pass that found the wait */
    pid_t joined;          /* the thread whose end it waits for; 0 = none */
    bool is_held;          /* in that pass the lock was a plain lock and held */
    struct sg_lock_waiter waiter;
};

/* A wait target that gets its number at the end of the slice. */
struct nameless {
    struct sg_wait_target waited; /* owns a reference to its object */
    pid_t tid;                    /* the thread, if the wait began before the hooks; else 0 */
    uint32_t entry;               /* entry of a wait that the hooks recorded */
};

/* The thread that has the job owns it. */
static struct sg_waits_snapshot {
    bool is_begun, is_done;
    bool is_among_waits; /* all threads have been seen */
    struct sg_snapshot_threads threads;
    int n_interpreters;                    /* interpreters with all threads read */
    uint64_t next_id;                      /* thread states with this id or a larger one are done */
    struct SG_ROWS_OF(struct known) known; /* by entry */
    uint32_t check;
    struct SG_ROWS_OF(struct nameless) nameless; /* empty between slices */
    struct SG_ROWS_OF(struct sg_lock_waiter) rows;
} snapshot;

void sg_waits_snapshot_prepare(void) {
    sg_with_blocks_prepare();
    sg_preattach_waits_prepare();
}

void sg_waits_snapshot_unprepare(void) { sg_with_blocks_forget(); }

void sg_waits_snapshot_begin(void) {
    sg_waits_snapshot_end();
    snapshot.is_begun = true;
    snapshot.next_id = UINT64_MAX;
    sg_snapshot_threads_open(&snapshot.threads);
}

bool sg_waits_snapshot_is_begun(void) { return snapshot.is_begun; }
bool sg_waits_snapshot_is_done(void) { return snapshot.is_done; }

void sg_waits_snapshot_end(void) {
    sg_snapshot_threads_close(&snapshot.threads);
    sg_with_block_holders_forget();
    SG_ROWS_FREE(&snapshot.known);
    SG_ROWS_FREE(&snapshot.nameless);
    SG_ROWS_FREE(&snapshot.rows);
    memset(&snapshot, 0, sizeof snapshot);
}

void sg_waits_snapshot_after_fork_in_child(void) {
    sg_with_block_holders_after_fork_in_child();
    memset(&snapshot, 0, sizeof snapshot);
}

/* ---- Wait targets in place of locks ---- */

/* Note a target to be numbered later, because allocating a Python object may run a collection, and
 * so code of the program. */
static void number_later(const struct sg_wait_target *waited, pid_t tid, uint32_t entry) {
    if (waited->object && SG_ROWS_ADD(&snapshot.nameless, (struct nameless){*waited, tid, entry}))
        Py_INCREF((PyObject *)waited->object);
}

/* Number the noted targets. A collection may let the program fork; the child then has no
 * snapshot. */
static void number_all(void) {
    while (snapshot.nameless.n) {
        struct nameless it = snapshot.nameless.at[--snapshot.nameless.n];
        uint32_t number = sg_waiters_number(&it.waited);
        struct sg_snapshot_thread *seen = sg_snapshot_threads_find(&snapshot.threads, it.tid);
        if (seen)
            seen->waiter.lock = number;
        else if (it.entry < snapshot.known.n)
            snapshot.known.at[it.entry].waiter.lock = number;
        Py_DECREF((PyObject *)it.waited.object);
    }
}

/* ---- Threads ---- */

static bool is_foreign(const void *thread) {
    uintptr_t interpreter; /* the state may be freed */
    return !sg_memory_read((uintptr_t)thread + (uintptr_t)sg_debug_offsets.thread_interp,
                           &interpreter, sizeof interpreter) ||
           interpreter != (uintptr_t)sg_interpreter_home();
}

/* Return the thread that the waiter joins, or `known`. Up to 3.12 a thread holds a lock until it
 * ends, and a join waits for that lock. */
static pid_t find_joined(const struct sg_lock_waiter *waiter, pid_t known) {
    struct sg_joined joined;
    if (known || sg_debug_offsets.minor > LAST_MINOR_WITHOUT_HANDLES || !waiter->object ||
        is_foreign(waiter->thread) ||
        !sg_joined_threads_find(waiter->thread, sg_joined_threads_is, (uintptr_t)waiter->object,
                                &joined))
        return known;
    return joined.tid;
}

static void see_earlier_wait(struct sg_snapshot_thread *seen, const void *thread) {
    struct sg_lock_wait wait = {.tid = seen->tid};
    struct sg_wait_target waited;
    if (!seen->futex || !sg_futex_sleepers_rests(seen->tid, seen->cpu_ns) ||
        !sg_preattach_waits_find(thread, seen->futex, &wait))
        return;
    seen->waiter = sg_waiters_describe(&wait, &waited);
    seen->joined = find_joined(&seen->waiter, wait.holder);
    number_later(&waited, seen->tid, 0);
}

static void see(void *thread) {
    pid_t tid = sg_snapshot_tid(thread);
    struct sg_snapshot_thread *seen =
        tid && !sg_engine_threads_has(tid) ? sg_snapshot_threads_add(&snapshot.threads, tid) : NULL;
    if (!seen)
        return;
    bool is_own = !is_foreign(thread);
    sg_snapshot_threads_read(seen, thread, is_own ? SG_WALK_OWN : SG_WALK_FOREIGN);
    if (!is_own) /* its interpreter may have another GIL */
        return;
    seen->id = sg_interpreters_id_of(thread);
    see_earlier_wait(seen, thread);
    sg_with_block_holders_see(thread, seen->id, tid);
}

/* Read the threads of one interpreter, from where the last slice ended. Returns false if the slice
 * ends. */
static bool see_threads_of(void *interp, int64_t end_ns) {
    /* Each slice skips all threads of earlier slices; the home variants do so without system
     * calls. */
    bool is_home = sg_interpreters_is_home_interpreter(interp);
    void *(*next_thread)(const void *) =
        is_home ? sg_interpreters_next_at_home : sg_interpreter_next_thread;
    uint64_t (*id_of)(const void *) = is_home ? sg_interpreters_id_at_home : sg_interpreters_id_of;
    uint32_t n_threads = sg_interpreters_most_threads(interp);
    for (void *thread = sg_interpreter_thread(interp); thread && n_threads--;
         thread = next_thread(thread)) {
        uint64_t id = id_of(thread);
        if (id >= snapshot.next_id)
            continue;
        snapshot.next_id = id;
        see(thread);
        if (sg_time_mono_ns() >= end_ns)
            return false;
    }
    snapshot.next_id = UINT64_MAX;
    return true;
}

static bool see_threads(int64_t end_ns) {
    uint32_t n_interpreters = sg_interpreters_count();
    int n = 0;
    sg_walk_new_epoch();
    for (void *interp = sg_interpreter_first(); interp && n_interpreters--;
         interp = sg_interpreter_next(interp)) {
        if (n++ < snapshot.n_interpreters)
            continue;
        if (!see_threads_of(interp, end_ns))
            return false;
        snapshot.n_interpreters = n;
    }
    return true;
}

/* ---- Waits that the hooks know ---- */

struct checking {
    int64_t end_ns;
    uint32_t n_new;
    bool is_whole; /* the pass has described all waits */
};

static void find_holder(struct sg_lock_waiter *waiter, pid_t joined) {
    waiter->holder = sg_lock_holders_find(waiter->object, waiter->primitive, joined);
}

static bool is_plain_held(const struct sg_lock_waiter *waiter) {
    return sg_lock_holders_is_plain_held(waiter->object, waiter->primitive);
}

static void describe(struct known *known, uint32_t entry, const struct sg_lock_wait *wait) {
    struct sg_snapshot_thread *seen = sg_snapshot_threads_add(&snapshot.threads, wait->tid);
    struct sg_wait_target waited;
    known->since_mono_ns = wait->since_mono_ns;
    known->waiter = sg_waiters_describe(wait, &waited);
    known->joined = find_joined(&known->waiter, wait->holder);
    if (snapshot.check < MOST_CHECKS || sg_debug_offsets.minor > LAST_MINOR_THAT_COLLECTS)
        number_later(&waited, 0, entry);
    if (seen && seen->seen_mono_ns <= wait->since_mono_ns)
        sg_snapshot_threads_read(seen, wait->thread, SG_WALK_WAITER);
}

static void check_wait(void *context, uint32_t entry, const struct sg_lock_wait *wait) {
    struct checking *checking = context;
    while (snapshot.known.n <= entry) {
        if (!SG_ROWS_ADD(&snapshot.known, (struct known){0}))
            return;
    }
    struct known *known = &snapshot.known.at[entry];
    if (known->since_mono_ns != wait->since_mono_ns) {
        if (checking->n_new && sg_time_mono_ns() >= checking->end_ns) {
            checking->is_whole = false;
            return;
        }
        describe(known, entry, wait);
        checking->n_new++;
    }
    find_holder(&known->waiter, known->joined);
    known->is_held = is_plain_held(&known->waiter);
    known->check = snapshot.check;
}

/* ---- The last slice ---- */

static void keep(struct sg_lock_waiter waiter, bool is_held, int64_t end_ns) {
    struct sg_snapshot_thread *seen = sg_snapshot_threads_find(&snapshot.threads, waiter.tid);
    if (!seen || !SG_ROWS_RESERVE(&snapshot.rows, 1))
        return;
    struct sg_lock_waiter *place =
        &snapshot.rows.at[seen->waits_at ? seen->waits_at - 1 : snapshot.rows.n];
    if (seen->waits_at && place->since_mono_ns > waiter.since_mono_ns)
        return; /* a signal handler waits inside another wait */
    if (!waiter.holder.tid && is_held) {
        waiter.holder = sg_with_block_holders_find(waiter.object, end_ns);
        waiter.is_in_block = waiter.holder.tid != 0;
    }
    *place = waiter;
    if (!seen->waits_at)
        seen->waits_at = ++snapshot.rows.n;
    seen->is_published = true;
}

static void keep_known(int64_t end_ns) {
    for (size_t i = 0; i < snapshot.known.n; i++) {
        if (snapshot.known.at[i].check == snapshot.check)
            keep(snapshot.known.at[i].waiter, snapshot.known.at[i].is_held, end_ns);
    }
}

static void keep_earlier(int64_t end_ns) {
    for (size_t i = 0; i < snapshot.threads.n; i++) {
        struct sg_snapshot_thread *seen = &snapshot.threads.all[i];
        if (!seen->waiter.tid || seen->waits_at ||
            !sg_futex_sleepers_rests(seen->tid, seen->cpu_ns))
            continue;
        find_holder(&seen->waiter, seen->joined);
        keep(seen->waiter, is_plain_held(&seen->waiter), end_ns);
    }
}

/* Set whether the holders in cycles are in `with` blocks. A thread that took a lock by `acquire`
 * may leave the release to another thread. */
static void find_blocks_in_cycles(void) {
    sg_deadlocks_mark(snapshot.rows.at, snapshot.rows.n);
    for (size_t i = 0; i < snapshot.rows.n; i++) {
        struct sg_lock_waiter *waiter = &snapshot.rows.at[i];
        if (!waiter->is_in_cycle || waiter->holder.source != SG_HOLDER_TOOK)
            continue;
        struct sg_snapshot_thread *seen =
            sg_snapshot_threads_find(&snapshot.threads, waiter->holder.tid);
        void *thread = seen && seen->id ? sg_with_block_holders_thread_of_id(seen->id) : NULL;
        waiter->is_in_block = thread && sg_with_blocks_have(thread, waiter->object);
    }
}

/* Read the stacks of holders again, because a holder that does not wait may have run since. */
static void see_holders_again(int64_t end_ns) {
    sg_walk_new_epoch();
    for (size_t i = 0; i < snapshot.rows.n; i++) {
        struct sg_snapshot_thread *seen =
            sg_snapshot_threads_find(&snapshot.threads, snapshot.rows.at[i].holder.tid);
        if (!seen || seen->is_published)
            continue;
        seen->is_published = true;
        void *thread = seen->id && sg_time_mono_ns() < end_ns
                           ? sg_with_block_holders_thread_of_id(seen->id)
                           : NULL;
        if (thread)
            sg_snapshot_threads_read(seen, thread, SG_WALK_OWN);
    }
}

static void finish(int64_t end_ns) {
    sg_with_block_holders_begin_last();
    keep_known(end_ns);
    keep_earlier(end_ns);
    find_blocks_in_cycles();
    see_holders_again(end_ns);
    snapshot.is_done = true;
}

/* Run passes over the recorded waits. New waits are described until `half_ns`; the other half of
 * the slice is for `finish`. Returns false if the slice ends. */
static bool check_waits(int64_t half_ns, int64_t end_ns) {
    for (;;) {
        struct checking checking = {.end_ns = half_ns, .is_whole = true};
        snapshot.check++;
        sg_walk_new_epoch();
        sg_lock_waits_visit(check_wait, &checking);
        bool has_run = snapshot.nameless.n && sg_debug_offsets.minor <= LAST_MINOR_THAT_COLLECTS;
        number_all();
        bool is_late = checking.n_new && sg_time_mono_ns() >= half_ns;
        if (!has_run && (snapshot.check >= MOST_CHECKS || (checking.is_whole && !is_late)))
            break;
        if (is_late)
            return false;
    }
    finish(end_ns);
    return true;
}

bool sg_waits_snapshot_continue(int64_t budget_ns) {
    int64_t half_ns = sg_time_mono_ns() + budget_ns / 2, end_ns = half_ns + budget_ns / 2;
    if (!snapshot.is_among_waits) {
        snapshot.is_among_waits = see_threads(end_ns);
        number_all();
        if (!snapshot.is_among_waits || sg_time_mono_ns() >= half_ns)
            return false;
    }
    return check_waits(half_ns, end_ns);
}

/* ---- Publishing ---- */

void sg_waits_snapshot_publish(sg_lock_waiter_fn *deliver, sg_sample_fn *deliver_stack,
                               void *context) {
    for (size_t i = 0; i < snapshot.rows.n; i++)
        deliver(context, &snapshot.rows.at[i]);
    for (size_t i = 0; i < snapshot.threads.n; i++) {
        const struct sg_snapshot_thread *seen = &snapshot.threads.all[i];
        const struct sg_sample sample = {
            .tid = seen->tid,
            .depth = seen->depth,
            .frames = seen->frames,
        };
        if (seen->is_published && deliver_stack)
            deliver_stack(context, &sample);
    }
}
