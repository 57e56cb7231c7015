/* Threads looked at in slices: see lock_look.h. */
#include "lock_look.h"

#include <Python.h>

#include <stdlib.h>
#include <string.h>

#include "column.h"
#include "earlier_waits.h"
#include "engine_threads.h"
#include "futex_sleepers.h"
#include "joined_threads.h"
#include "layout.h"
#include "lock_words.h"
#include "memory.h"
#include "python_symbols.h"
#include "snapshot.h"
#include "wakeup.h"
#include "with_blocks.h"

enum { MOST_BLOCKS = 4096, MOST_AGAIN = 32 };

/* What is known of one thread beside its sleep. */
struct thread {
    bool is_seen;
    bool is_told;             /* its wait is one that the hooks know */
    struct sg_lock_wait wait; /* lock NULL = none that began before */
};

/* A thread stands in a `with` block. */
struct block {
    const void *lock;   /* compared only: it may have died */
    const void *thread; /* PyThreadState; likewise */
    pid_t tid;
    uint64_t cpu_ns; /* of its clock, before it was seen */
};

/* Belongs to whoever has the job. */
static struct sg_lock_look {
    bool is_begun, is_done;
    struct sg_sleeper *sleepers; /* (n,); owned */
    struct thread *threads;      /* (n,): of the same; owned */
    size_t n;
    struct block *blocks; /* (n_blocks,); owned */
    size_t n_blocks, blocks_capacity;
    int n_again; /* threads that were looked at twice */
} look;

void sg_lock_look_begin(void) {
    sg_lock_look_end();
    look.is_begun = true;
    look.sleepers = sg_sleepers_list(&look.n);
    look.threads = calloc(look.n + 1, sizeof *look.threads);
    if (!look.threads)
        look.n = 0;
}

bool sg_lock_look_is_begun(void) { return look.is_begun; }
bool sg_lock_look_is_done(void) { return look.is_done; }

void sg_lock_look_end(void) {
    free(look.sleepers);
    free(look.threads);
    free(look.blocks);
    memset(&look, 0, sizeof look);
}

void sg_lock_look_after_fork_in_child(void) { memset(&look, 0, sizeof look); }

static size_t place_of(pid_t tid) {
    struct sg_sleeper *found = sg_sleepers_find(look.sleepers, look.n, tid);
    return found ? (size_t)(found - look.sleepers) : look.n;
}

/* ---- Slices ---- */

static void keep_block(void *context, const void *lock) {
    struct block block = *(const struct block *)context;
    block.lock = lock;
    if (look.n_blocks < MOST_BLOCKS &&
        sg_make_room((void **)&look.blocks, look.n_blocks, &look.blocks_capacity, 1, sizeof block))
        look.blocks[look.n_blocks++] = block;
}

static void see(const void *thread, size_t at) {
    const struct sg_sleeper *sleeper = &look.sleepers[at];
    struct thread *seen = &look.threads[at];
    struct block block = {
        .thread = thread,
        .tid = sleeper->tid,
        .cpu_ns = sg_clock_ns(sg_thread_clock(sleeper->tid)),
    };
    seen->is_seen = true;
    if (sleeper->futex && block.cpu_ns == sleeper->cpu_ns) {
        seen->wait.tid = sleeper->tid;
        sg_earlier_wait_find(thread, sleeper->futex, &seen->wait);
    }
    sg_with_blocks_visit(thread, keep_block, &block);
}

/* Threads of other interpreters may run meanwhile. */
bool sg_lock_look_go_on(int64_t budget_ns) {
    int64_t end_ns = sg_mono_ns() + budget_ns;
    uintptr_t interp = sg_load((uintptr_t)PyThreadState_Get() + (uintptr_t)sg_layout.thread_interp);
    void *thread = sg_python.thread_head((void *)interp);
    for (; thread; thread = sg_python.thread_next(thread)) {
        size_t at = place_of(sg_snapshot_tid(thread));
        if (at == look.n || look.threads[at].is_seen)
            continue;
        see(thread, at);
        if (sg_mono_ns() >= end_ns)
            return false;
    }
    look.is_done = true;
    return true;
}

/* ---- Telling ---- */

/* It has not run since it was seen, or it stands there again. */
static bool is_still_inside(const struct block *block) {
    if (sg_sleeper_rests(block->tid, block->cpu_ns))
        return true;
    if (look.n_again++ >= MOST_AGAIN)
        return false;
    uintptr_t interp = sg_load((uintptr_t)PyThreadState_Get() + (uintptr_t)sg_layout.thread_interp);
    void *thread = sg_python.thread_head((void *)interp);
    while (thread && (thread != block->thread || sg_snapshot_tid(thread) != block->tid))
        thread = sg_python.thread_next(thread);
    return thread && sg_with_blocks_have(thread, block->lock);
}

/* The only thread that stands in a `with` of the lock; 0 = there is none, or they are several. */
static pid_t find_inside(const void *lock) {
    pid_t tid = 0;
    for (size_t i = 0; i < look.n_blocks; i++) {
        const struct block *block = &look.blocks[i];
        if (block->lock != lock || block->tid == tid || !is_still_inside(block))
            continue;
        if (tid)
            return 0;
        tid = block->tid;
    }
    return tid;
}

static bool is_held_plain(const struct sg_lock_waiter *waiter) {
    return waiter->object && sg_lock_words.is_known &&
           strcmp(sg_primitive_owner(waiter->primitive), "Lock") == 0 &&
           sg_lock_is_held(waiter->object);
}

/* Up to 3.12 a thread holds a lock until it ends, and who joins it waits for that. */
static pid_t find_joined(const struct sg_lock_waiter *waiter) {
    struct sg_joined joined;
    bool is_joined = sg_joined_find(waiter->thread, &joined) && joined.object == waiter->object;
    return is_joined ? joined.tid : 0;
}

struct telling {
    sg_lock_waiter_fn *deliver;
    void *context;
};

static void tell(const struct telling *telling, struct sg_lock_waiter waiter) {
    if (!waiter.holder_tid && is_held_plain(&waiter)) {
        waiter.holder_tid = find_joined(&waiter);
        if (!waiter.holder_tid) {
            waiter.holder_tid = find_inside(waiter.object);
            waiter.is_holder_inside = waiter.holder_tid != 0;
        }
    }
    telling->deliver(telling->context, &waiter);
}

static void tell_known(void *context, const struct sg_lock_waiter *waiter) {
    size_t at = place_of(waiter->tid);
    if (at < look.n)
        look.threads[at].is_told = true;
    tell(context, *waiter);
}

void sg_lock_look_tell(sg_lock_waiter_fn *deliver, void *context) {
    struct telling telling = {deliver, context};
    sg_lock_waits_read(tell_known, &telling);
    for (size_t i = 0; i < look.n; i++) {
        const struct thread *thread = &look.threads[i];
        if (thread->wait.lock && !thread->is_told &&
            sg_sleeper_rests(look.sleepers[i].tid, look.sleepers[i].cpu_ns))
            tell(&telling, sg_lock_waits_describe(&thread->wait));
    }
}
