/* A chained hash table in a fixed array, with a doubly linked chain for each of 1024 hashes.
 *
 *     FREE ──begin──▶ WAITING ──end──▶ FREE
 *                        └─discard─▶ FORGOTTEN ──end──▶ FREE        revive: FORGOTTEN ─▶ WAITING
 *                                        └─fork─▶ LEFT_BEHIND, in the child, for good
 *
 * An entry outlives a session, since its thread may still wait; the array is unmapped only if
 * n_inside is 0. `n_waiters` of a lock's slot counts its WAITING entries. */
#include "locks/waits.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "contention/contention.h"
#include "contention/stacks.h"
#include "labels/labels.h"
#include "locks/sampling.h"
#include "locks/state.h"
#include "platform/futex.h"
#include "platform/memory.h"
#include "platform/thread_ids.h"

enum { N_ENTRIES = 8192, N_CHAINS = 1024, NONE = 0 };

enum state { FREE, WAITING, FORGOTTEN, LEFT_BEHIND /* a thread of the parent's */ };

struct entry {
    struct sg_lock_wait wait;
    int64_t charged_mono_ns; /* the wait up to this time has been charged to releases */
    uint32_t next, previous; /* in the chain; `next` also among the free. NONE = end */
    enum state state;
};

static atomic_flag is_claimed = ATOMIC_FLAG_INIT;
/* All guarded by the flag. `entries[0]` is not used. */
static struct entry *entries;
static uint32_t chains[N_CHAINS];
static uint32_t first_free;
static uint32_t n_touched; /* entries that were ever used */
static uint32_t n_inside;  /* threads between begin and end */

static void claim(void) {
    uint32_t n_tries = 0;
    while (atomic_flag_test_and_set_explicit(&is_claimed, memory_order_acquire))
        sg_futex_back_off(n_tries++);
}

static void release(void) { atomic_flag_clear_explicit(&is_claimed, memory_order_release); }

static uint32_t *chain_of(const void *lock) {
    return &chains[(uintptr_t)lock >> 4 & (N_CHAINS - 1)];
}

int sg_lock_waits_prepare(void) {
    claim();
    if (!entries)
        entries = sg_memory_map(N_ENTRIES * sizeof *entries);
    bool is_prepared = entries != NULL;
    release();
    return is_prepared ? 0 : -1;
}

static void add_waiters(const void *lock, int n) { /* the flag excludes other writers */
    _Atomic uint32_t *count = &sg_lock_table_slot(lock)->n_waiters;
    uint32_t now = atomic_load_explicit(count, memory_order_relaxed) + (uint32_t)n;
    atomic_store_explicit(count, now, memory_order_relaxed);
}

/* Forget all waiters. This goes by entry, not by slot: most slots were never written, and have no
 * memory. */
static void forget(void) {
    for (uint32_t i = 1; i <= n_touched; i++) {
        if (entries[i].state == WAITING) {
            entries[i].state = FORGOTTEN;
            add_waiters(entries[i].wait.lock, -1);
        }
    }
    for (uint32_t i = 0; i < N_CHAINS; i++)
        chains[i] = NONE;
}

void sg_lock_waits_discard(void) {
    claim();
    forget();
    if (!n_inside && entries) {
        first_free = NONE;
        n_touched = 0; /* first, since a forked child visits so many */
        atomic_signal_fence(memory_order_seq_cst);
        SG_MEMORY_DROP(entries, N_ENTRIES * sizeof *entries);
    }
    release();
}

void sg_lock_waits_after_fork_in_child(void) {
    release();
    sg_lock_waits_discard();
    for (uint32_t i = 1; i <= n_touched; i++) {
        if (entries[i].state == FORGOTTEN)
            entries[i].state = LEFT_BEHIND;
    }
}

/* ---- Begin and end ---- */

static uint32_t take_entry(void) {
    uint32_t i = first_free;
    if (i != NONE)
        first_free = entries[i].next;
    else if (entries && n_touched + 1 < N_ENTRIES)
        i = ++n_touched;
    return i;
}

static void link_entry(uint32_t i) {
    uint32_t *chain = chain_of(entries[i].wait.lock);
    entries[i].previous = NONE;
    entries[i].next = *chain;
    if (*chain != NONE)
        entries[*chain].previous = i;
    *chain = i;
    add_waiters(entries[i].wait.lock, 1);
}

static void unlink_entry(uint32_t i) {
    const struct entry *entry = &entries[i];
    if (entry->previous != NONE)
        entries[entry->previous].next = entry->next;
    else
        *chain_of(entry->wait.lock) = entry->next;
    if (entry->next != NONE)
        entries[entry->next].previous = entry->previous;
    add_waiters(entry->wait.lock, -1);
}

void sg_lock_waits_revive(void) {
    claim();
    for (uint32_t i = 1; i <= n_touched; i++) {
        struct sg_lock_wait *wait = &entries[i].wait;
        struct sg_lock_slot *slot = sg_lock_table_slot(wait->lock);
        if (entries[i].state != FORGOTTEN)
            continue;
        if (!sg_lock_table_has_waiters(slot))
            sg_lock_sampling_hold_is_first(slot, wait->lock);
        wait->is_charged = false;
        entries[i].state = WAITING;
        link_entry(i);
    }
    release();
}

uint32_t sg_lock_waits_begin(const struct sg_lock_wait *wait) {
    claim();
    uint32_t i = take_entry();
    if (i != NONE) {
        entries[i].wait = *wait;
        entries[i].charged_mono_ns = wait->since_mono_ns;
        entries[i].state = WAITING;
        link_entry(i);
        n_inside++;
    } else if (entries) {
        sg_contention_lose_wait(); /* no release is charged with it */
    }
    release();
    return i;
}

void sg_lock_waits_end(uint32_t i) {
    if (i == NONE)
        return;
    claim();
    if (entries[i].state == WAITING)
        unlink_entry(i);
    entries[i].state = FREE;
    entries[i].next = first_free;
    first_free = i;
    n_inside--;
    release();
}

/* ---- Releases ---- */

/* Return the waiter's stack. From the second charge on the stack is kept in the entry, since a long
 * wait is charged many times. */
static sg_contention_stack stack_of(struct entry *entry) {
    struct sg_lock_wait *wait = &entry->wait;
    bool is_again = entry->charged_mono_ns != wait->since_mono_ns;
    if (is_again && wait->stack == SG_CONTENTION_OWN_STACK) {
        sg_contention_stack stack = sg_contention_take_stack(wait->thread, wait->primitive);
        wait->stack = stack == SG_STACK_LOST ? SG_CONTENTION_OWN_STACK : stack;
    }
    return wait->stack;
}

size_t sg_lock_waits_charge(const void *lock, int64_t began_mono_ns, int64_t now_mono_ns,
                            struct sg_contention_waiter charges[SG_LOCK_CHARGES]) {
    size_t n = 0;
    claim();
    for (uint32_t i = *chain_of(lock); i != NONE; i = entries[i].next) {
        struct entry *entry = &entries[i];
        if (entry->wait.lock != lock)
            continue;
        int64_t since_mono_ns = entry->charged_mono_ns;
        if (since_mono_ns < began_mono_ns)
            since_mono_ns = began_mono_ns;
        int64_t delay_ns = now_mono_ns - since_mono_ns;
        if (entry->wait.is_charged && n < SG_LOCK_CHARGES)
            charges[n++] = (struct sg_contention_waiter){
                .primitive = entry->wait.primitive,
                .stack = stack_of(entry),
                .thread = entry->wait.thread,
                .labels = sg_labels_of_caller(entry->wait.thread),
                .delay_ns = delay_ns,
            };
        else if (entry->wait.is_charged) {
            charges[SG_LOCK_CHARGES - 1].labels = SG_NO_LABELS; /* several waiters */
            charges[SG_LOCK_CHARGES - 1].delay_ns += delay_ns;
        }
        entry->charged_mono_ns = now_mono_ns;
    }
    release();
    return n;
}

/* ---- Reading ---- */

void sg_lock_waits_visit(sg_lock_wait_fn *visit, void *context) {
    claim();
    for (uint32_t i = 1; i <= n_touched; i++) {
        struct sg_lock_wait *wait = &entries[i].wait;
        if (entries[i].state != WAITING)
            continue;
        if (wait->joined) {
            wait->holder = sg_thread_ids_of(wait->joined);
            wait->joined = 0; /* later its stack may be another thread's */
        }
        visit(context, i, wait);
    }
    release();
}
