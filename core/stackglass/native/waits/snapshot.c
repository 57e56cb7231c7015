/* The slices of a snapshot: see snapshot.h. */
#include "waits/snapshot.h"

#include <Python.h>

#include <stdlib.h>
#include <string.h>

#include "cpu/snapshot.h"
#include "interpreter/debug_offsets.h"
#include "interpreter/interpreters.h"
#include "interpreter/python_symbols.h"
#include "locks/state.h"
#include "platform/engine_threads.h"
#include "platform/futex_sleepers.h"
#include "platform/memory.h"
#include "platform/time.h"
#include "platform/vector.h"
#include "waits/deadlocks.h"
#include "waits/joined_threads.h"
#include "waits/preattach_waits.h"
#include "waits/snapshot_threads.h"
#include "waits/with_block_holders.h"
#include "waits/with_blocks.h"

/* MOST_CHECKS: slices that may find new waits; later waits are left to the next snapshot. */
enum { MOST_CHECKS = 16, LAST_MINOR_THAT_COLLECTS = 9, LAST_MINOR_WITHOUT_HANDLES = 12 };

/* A wait that the hooks know, by its entry there. */
struct known {
    int64_t since_mono_ns; /* with the entry: which wait it is; 0 = none yet */
    uint32_t check;        /* the last one that has met it */
    pid_t joined;          /* the thread whose end it waits for; 0 = none */
    bool is_held;          /* a plain lock that was held in that check */
    struct sg_lock_waiter waiter;
};

/* A wait target that gets its number at the end of the slice. */
struct nameless {
    struct sg_wait_target waited; /* holds a reference to its object */
    pid_t tid;                    /* of an earlier wait's thread, or 0 */
    uint32_t entry;               /* of a known wait */
};

/* Owned by the thread that has the job. */
static struct sg_waits_snapshot {
    bool is_begun, is_done;
    bool is_among_waits; /* all threads have been seen */
    struct sg_snapshot_threads threads;
    int n_interpreters;  /* that are done */
    uint64_t next_id;    /* of thread states, newest first: those at or above it are done */
    struct known *known; /* (n_known,): by entry; owned */
    size_t n_known, known_capacity;
    uint32_t check;
    struct nameless *nameless; /* (n_nameless,); owned, empty between slices */
    size_t n_nameless, nameless_capacity;
    struct sg_lock_waiter *rows; /* (n_rows,); owned */
    size_t n_rows, rows_capacity;
} look;

void sg_waits_snapshot_prepare(void) {
    sg_with_blocks_prepare();
    sg_preattach_waits_prepare();
}

void sg_waits_snapshot_unprepare(void) { sg_with_blocks_forget(); }

void sg_waits_snapshot_begin(void) {
    sg_waits_snapshot_end();
    look.is_begun = true;
    look.next_id = UINT64_MAX;
    sg_snapshot_threads_open(&look.threads);
}

bool sg_waits_snapshot_is_begun(void) { return look.is_begun; }
bool sg_waits_snapshot_is_done(void) { return look.is_done; }

void sg_waits_snapshot_end(void) {
    sg_snapshot_threads_close(&look.threads);
    sg_with_block_holders_forget();
    free(look.known);
    free(look.nameless);
    free(look.rows);
    memset(&look, 0, sizeof look);
}

void sg_waits_snapshot_after_fork_in_child(void) {
    sg_with_block_holders_after_fork_in_child();
    memset(&look, 0, sizeof look);
}

/* ---- Wait targets in place of locks ---- */

/* Later: allocating a Python object may run a collection, and so code of the program. */
static void number_later(const struct sg_wait_target *waited, pid_t tid, uint32_t entry) {
    if (!waited->object || !sg_vector_make_room((void **)&look.nameless, look.n_nameless,
                                                &look.nameless_capacity, 1, sizeof *look.nameless))
        return;
    Py_INCREF((PyObject *)waited->object);
    look.nameless[look.n_nameless++] = (struct nameless){*waited, tid, entry};
}

/* A collection may let the program fork; the child then has no snapshot under way. */
static void number_all(void) {
    while (look.n_nameless) {
        struct nameless it = look.nameless[--look.n_nameless];
        uint32_t number = sg_waiters_number(&it.waited);
        struct sg_snapshot_thread *looked = sg_snapshot_threads_find(&look.threads, it.tid);
        if (looked)
            looked->waiter.lock = number;
        else if (it.entry < look.n_known)
            look.known[it.entry].waiter.lock = number;
        Py_DECREF((PyObject *)it.waited.object);
    }
}

/* ---- Threads ---- */

static bool is_foreign(const void *thread) {
    uintptr_t interpreter; /* it may be gone */
    return !sg_memory_read((uintptr_t)thread + (uintptr_t)sg_debug_offsets.thread_interp,
                           &interpreter, sizeof interpreter) ||
           interpreter != (uintptr_t)sg_interpreter_home();
}

/* Up to 3.12 a thread holds a lock until it ends, and a join waits for that lock. */
static pid_t find_joined(const struct sg_lock_waiter *waiter, pid_t known) {
    struct sg_joined joined;
    if (known || sg_debug_offsets.minor > LAST_MINOR_WITHOUT_HANDLES || !waiter->object ||
        is_foreign(waiter->thread) ||
        !sg_joined_threads_find(waiter->thread, sg_joined_threads_is, (uintptr_t)waiter->object,
                                &joined))
        return known;
    return joined.tid;
}

static void see_earlier_wait(struct sg_snapshot_thread *looked, const void *thread) {
    struct sg_lock_wait wait = {.tid = looked->tid};
    struct sg_wait_target waited;
    if (!looked->futex || !sg_futex_sleepers_rests(looked->tid, looked->cpu_ns) ||
        !sg_preattach_waits_find(thread, looked->futex, &wait))
        return;
    looked->waiter = sg_waiters_describe(&wait, &waited);
    looked->joined = find_joined(&looked->waiter, wait.holder);
    number_later(&waited, looked->tid, 0);
}

static void see(void *thread) {
    pid_t tid = sg_snapshot_tid(thread);
    struct sg_snapshot_thread *looked =
        tid && !sg_engine_threads_has(tid) ? sg_snapshot_threads_add(&look.threads, tid) : NULL;
    if (!looked)
        return;
    bool is_own = !is_foreign(thread);
    sg_snapshot_threads_read(looked, thread, is_own ? SG_WALK_OWN : SG_WALK_FOREIGN);
    if (!is_own) /* its interpreter may have its own GIL */
        return;
    looked->id = sg_interpreters_id_of(thread);
    see_earlier_wait(looked, thread);
    sg_with_block_holders_see(thread, looked->id, tid);
}

/* Threads of one interpreter, from where the last slice ended; false = the slice ends. */
static bool see_threads_of(void *interp, int64_t end_ns) {
    for (void *thread = sg_interpreter_thread(interp); thread;
         thread = sg_interpreter_next_thread(thread)) {
        uint64_t id = sg_interpreters_id_of(thread);
        if (id >= look.next_id)
            continue;
        look.next_id = id;
        see(thread);
        if (sg_time_mono_ns() >= end_ns)
            return false;
    }
    look.next_id = UINT64_MAX;
    return true;
}

static bool see_threads(int64_t end_ns) {
    int n = 0;
    sg_walk_new_epoch();
    for (void *interp = sg_interpreter_first(); interp; interp = sg_interpreter_next(interp)) {
        if (n++ < look.n_interpreters)
            continue;
        if (!see_threads_of(interp, end_ns))
            return false;
        look.n_interpreters = n;
    }
    return true;
}

/* ---- Waits that the hooks know ---- */

struct checking {
    int64_t end_ns;
    uint32_t n_new;
    bool is_whole; /* all that wait are known */
};

static bool is_held_plain(const struct sg_lock_waiter *waiter) {
    return waiter->object && sg_lock_state_words.is_known &&
           strcmp(sg_primitive_owner(waiter->primitive), "Lock") == 0 &&
           sg_lock_state_is_held(waiter->object);
}

static void describe(struct known *known, uint32_t entry, const struct sg_lock_wait *wait) {
    struct sg_snapshot_thread *looked = sg_snapshot_threads_add(&look.threads, wait->tid);
    struct sg_wait_target waited;
    known->since_mono_ns = wait->since_mono_ns;
    known->waiter = sg_waiters_describe(wait, &waited);
    known->joined = find_joined(&known->waiter, wait->holder);
    if (look.check < MOST_CHECKS || sg_debug_offsets.minor > LAST_MINOR_THAT_COLLECTS)
        number_later(&waited, 0, entry);
    if (looked && looked->seen_mono_ns <= wait->since_mono_ns)
        sg_snapshot_threads_read(looked, wait->thread, SG_WALK_WAITER);
}

static void check_wait(void *context, uint32_t entry, const struct sg_lock_wait *wait) {
    struct checking *checking = context;
    while (look.n_known <= entry) {
        if (!sg_vector_make_room((void **)&look.known, look.n_known, &look.known_capacity, 1,
                                 sizeof *look.known))
            return;
        memset(&look.known[look.n_known++], 0, sizeof *look.known);
    }
    struct known *known = &look.known[entry];
    if (known->since_mono_ns != wait->since_mono_ns) {
        if (checking->n_new && sg_time_mono_ns() >= checking->end_ns) {
            checking->is_whole = false;
            return;
        }
        describe(known, entry, wait);
        checking->n_new++;
    }
    sg_waiters_find_holder(&known->waiter, known->joined);
    known->is_held = is_held_plain(&known->waiter);
    known->check = look.check;
}

/* ---- The last slice ---- */

static void keep(struct sg_lock_waiter waiter, bool is_held, int64_t end_ns) {
    struct sg_snapshot_thread *looked = sg_snapshot_threads_find(&look.threads, waiter.tid);
    if (!looked || !sg_vector_make_room((void **)&look.rows, look.n_rows, &look.rows_capacity, 1,
                                        sizeof *look.rows))
        return;
    struct sg_lock_waiter *place =
        looked->waits_at ? &look.rows[looked->waits_at - 1] : &look.rows[look.n_rows];
    if (looked->waits_at && place->since_mono_ns > waiter.since_mono_ns)
        return; /* a signal handler waits inside another wait */
    if (!waiter.holder_tid && is_held) {
        waiter.holder_tid = sg_with_block_holders_find(waiter.object, end_ns);
        waiter.source = waiter.holder_tid ? SG_HOLDER_INSIDE : SG_HOLDER_UNKNOWN;
        waiter.is_in_block = waiter.holder_tid != 0;
    }
    *place = waiter;
    if (!looked->waits_at)
        looked->waits_at = ++look.n_rows;
    looked->is_published = true;
}

static void keep_known(int64_t end_ns) {
    for (size_t i = 0; i < look.n_known; i++) {
        if (look.known[i].check == look.check)
            keep(look.known[i].waiter, look.known[i].is_held, end_ns);
    }
}

static void keep_earlier(int64_t end_ns) {
    for (size_t i = 0; i < look.threads.n; i++) {
        struct sg_snapshot_thread *looked = &look.threads.all[i];
        if (!looked->waiter.tid || looked->waits_at ||
            !sg_futex_sleepers_rests(looked->tid, looked->cpu_ns))
            continue;
        sg_waiters_find_holder(&looked->waiter, looked->joined);
        keep(looked->waiter, is_held_plain(&looked->waiter), end_ns);
    }
}

/* A thread that took a lock by `acquire` may leave its release to another thread. */
static void find_blocks_in_circles(void) {
    sg_deadlocks_mark(look.rows, look.n_rows);
    for (size_t i = 0; i < look.n_rows; i++) {
        struct sg_lock_waiter *waiter = &look.rows[i];
        if (!waiter->is_in_circle || waiter->source != SG_HOLDER_TOOK)
            continue;
        struct sg_snapshot_thread *looked =
            sg_snapshot_threads_find(&look.threads, waiter->holder_tid);
        void *thread = looked && looked->id ? sg_with_block_holders_thread_of_id(looked->id) : NULL;
        waiter->is_in_block = thread && sg_with_blocks_have(thread, waiter->object);
    }
}

/* A holder that does not wait may have run since. */
static void see_holders_again(int64_t end_ns) {
    sg_walk_new_epoch();
    for (size_t i = 0; i < look.n_rows; i++) {
        struct sg_snapshot_thread *looked =
            sg_snapshot_threads_find(&look.threads, look.rows[i].holder_tid);
        if (!looked || looked->is_published)
            continue;
        looked->is_published = true;
        void *thread = looked->id && sg_time_mono_ns() < end_ns
                           ? sg_with_block_holders_thread_of_id(looked->id)
                           : NULL;
        if (thread)
            sg_snapshot_threads_read(looked, thread, SG_WALK_OWN);
    }
}

static void finish(int64_t end_ns) {
    sg_with_block_holders_begin_last();
    keep_known(end_ns);
    keep_earlier(end_ns);
    find_blocks_in_circles();
    see_holders_again(end_ns);
    look.is_done = true;
}

/* New waits are described until `half_ns`; the other half is for the last step. */
static bool check_waits(int64_t half_ns, int64_t end_ns) {
    for (;;) {
        struct checking checking = {.end_ns = half_ns, .is_whole = true};
        look.check++;
        sg_walk_new_epoch();
        sg_lock_waits_visit(check_wait, &checking);
        bool has_run = look.n_nameless && sg_debug_offsets.minor <= LAST_MINOR_THAT_COLLECTS;
        number_all();
        bool is_late = checking.n_new && sg_time_mono_ns() >= half_ns;
        if (!has_run && (look.check >= MOST_CHECKS || (checking.is_whole && !is_late)))
            break;
        if (is_late)
            return false;
    }
    finish(end_ns);
    return true;
}

bool sg_waits_snapshot_continue(int64_t budget_ns) {
    int64_t half_ns = sg_time_mono_ns() + budget_ns / 2, end_ns = half_ns + budget_ns / 2;
    if (!look.is_among_waits) {
        look.is_among_waits = see_threads(end_ns);
        number_all();
        if (!look.is_among_waits || sg_time_mono_ns() >= half_ns)
            return false;
    }
    return check_waits(half_ns, end_ns);
}

/* ---- Publishing ---- */

void sg_waits_snapshot_publish(sg_lock_waiter_fn *deliver, sg_sample_fn *deliver_stack,
                               void *context) {
    for (size_t i = 0; i < look.n_rows; i++)
        deliver(context, &look.rows[i]);
    for (size_t i = 0; i < look.threads.n; i++) {
        const struct sg_snapshot_thread *looked = &look.threads.all[i];
        const struct sg_sample sample = {
            .tid = looked->tid,
            .depth = looked->depth,
            .frames = looked->frames,
        };
        if (looked->is_published && deliver_stack)
            deliver_stack(context, &sample);
    }
}
