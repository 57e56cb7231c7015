/* A list of the `with` blocks that were seen, as (lock, thread), and a check at the end whether
 * each thread is still in its block.
 *
 *     the thread's CPU clock has not moved ─▶ it is still inside
 *     the thread has run ─▶ its frames are read again: always for the first four such threads, for
 *                           more of them while there is time
 *
 * A lock with two threads inside, or with a thread that could not be checked, has no known holder.
 * Nor has any lock if the list has no room for all blocks: one of those left out may be a second
 * thread's.
 * The last slice (hold of the GIL) caches answers, because many threads may wait for one lock. */
#include "lock_holders/with_block_holders.h"

#include <Python.h>

#include <string.h>

#include "interpreter/debug_offsets.h"
#include "interpreter/python_symbols.h"
#include "lock_holders/with_blocks.h"
#include "platform/futex_sleepers.h"
#include "platform/memory.h"
#include "platform/time.h"
#include "platform/vector.h"

enum { MOST_BLOCKS = 4096, LEAST_AGAIN = 4 /* threads that are checked again in any case */ };

/* A thread in a `with` block. */
struct block {
    const void *lock; /* compared only: it may have died */
    uint64_t id;      /* of the thread's state */
    pid_t tid;
    uint64_t cpu_ns; /* the thread's CPU clock, read before its frames */
};

/* The holder of a lock, as found in the last slice. */
struct answer {
    const void *lock;
    struct sg_lock_holder holder;
};

/* Owned by the thread that has the job. */
static struct {
    struct SG_ROWS_OF(struct block) blocks;
    struct SG_ROWS_OF(struct answer) answers;
    bool is_cut; /* blocks were left out: there were too many, or memory was short */
    int n_again; /* threads that were checked again */
} inside;

void sg_with_block_holders_forget(void) {
    SG_ROWS_FREE(&inside.blocks);
    SG_ROWS_FREE(&inside.answers);
    inside.is_cut = false;
    inside.n_again = 0;
}

void sg_with_block_holders_after_fork_in_child(void) { memset(&inside, 0, sizeof inside); }

static void keep_block(void *context, const void *lock) {
    struct block block = *(const struct block *)context;
    block.lock = lock;
    if (inside.blocks.n >= MOST_BLOCKS || !SG_ROWS_ADD(&inside.blocks, block))
        inside.is_cut = true;
}

void sg_with_block_holders_see(const void *thread, uint64_t id, pid_t tid) {
    struct block block = {.id = id, .tid = tid, .cpu_ns = sg_futex_sleepers_clock(tid)};
    sg_with_blocks_visit(thread, keep_block, &block);
}

void *sg_with_block_holders_thread_of_id(uint64_t id) {
    uintptr_t interp =
        sg_memory_load((uintptr_t)PyThreadState_Get() + (uintptr_t)sg_debug_offsets.thread_interp);
    void *thread = sg_python_symbols.thread_head((void *)interp);
    while (thread && PyThreadState_GetID(thread) != id)
        thread = sg_python_symbols.thread_next(thread);
    return thread;
}

enum standing { OUTSIDE, INSIDE, NO_TIME };

/* Check whether the thread of `block` is still in it. INSIDE: the thread has not run since, or is
 * in a block of the same lock now. NO_TIME: the thread has run, and its frames cannot be read
 * in time. */
static enum standing check_again(const struct block *block, int64_t end_mono_ns) {
    if (sg_futex_sleepers_rests(block->tid, block->cpu_ns))
        return INSIDE;
    if (inside.n_again++ >= LEAST_AGAIN && sg_time_mono_ns() >= end_mono_ns)
        return NO_TIME;
    void *thread = sg_with_block_holders_thread_of_id(block->id);
    return thread && sg_with_blocks_have(thread, block->lock) ? INSIDE : OUTSIDE;
}

static pid_t find(const void *lock, int64_t end_mono_ns) {
    pid_t tid = 0;
    for (size_t i = 0; i < inside.blocks.n && !inside.is_cut; i++) {
        const struct block *block = &inside.blocks.at[i];
        if (block->lock != lock || block->tid == tid)
            continue;
        enum standing standing = check_again(block, end_mono_ns);
        if (standing == NO_TIME || (standing == INSIDE && tid))
            return 0;
        if (standing == INSIDE)
            tid = block->tid;
    }
    return tid;
}

void sg_with_block_holders_begin_last(void) { inside.answers.n = 0; }

/* Many threads may wait for one lock: its blocks are checked once. */
struct sg_lock_holder sg_with_block_holders_find(const void *lock, int64_t end_mono_ns) {
    for (size_t i = 0; i < inside.answers.n; i++) {
        if (inside.answers.at[i].lock == lock)
            return inside.answers.at[i].holder;
    }
    pid_t tid = find(lock, end_mono_ns);
    struct answer answer = {lock, {tid, tid ? SG_HOLDER_INSIDE : SG_HOLDER_UNKNOWN}};
    SG_ROWS_ADD(&inside.answers, answer);
    return answer.holder;
}
