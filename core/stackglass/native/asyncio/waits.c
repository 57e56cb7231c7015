/* Waiting tasks: one array of entries. An entry is in a hash chain by its iterator, to be found
 * when the await ends. While it waits for a release, it is also in a hash chain by its future, and
 * among the waiters of the lock, newest first.
 *
 *     by_iterator[hash] ─▶ entry ─▶ entry       queues[lock] ─▶ entry ◀─older, newer─▶ entry
 *     by_future[hash] ─▶ entry ─▶ entry
 *
 * An object has a number while it lives (tracked_objects.h). Locks and Semaphores have numbers of
 * their own, so that however many Queues and Events there are, releases find their waiters. A
 * release is charged with what each waiter has waited since it came, or since the last release if
 * it was there by then. So one time for each lock says what has been charged, and of many waiters
 * only new ones are looked at. Once a release has woken a waiter, the waiter waits only for its
 * turn in the event loop, and that time is charged to no release. */
#include "asyncio/waits.h"

#include <string.h>

#include "contention/contention.h"
#include "contention/sampling.h"
#include "contention/stacks.h"
#include "labels/labels.h"
#include "objects/tracked_objects.h"
#include "platform/memory.h"
#include "platform/time.h"
#include "tasks/running.h"

enum {
    N_ENTRIES = 1 << 16, /* the first is not used; waits for which no entry is free are lost */
    CHAIN_BITS = 13,
    N_CHAINS = 1 << CHAIN_BITS,
    MOST_CHARGES = 256, /* rows of a release; the last row has the time of all further waiters */
    NONE = 0,           /* an entry's number that stands for no entry */
};

struct entry {
    const void *iterator, *future;
    enum sg_primitive primitive;
    sg_contention_stack stack;
    uint32_t labels; /* of the task when it began to wait */
    int64_t since_mono_ns;
    uint32_t object; /* number of sg_asyncio_call's object; if `is_lock`, among the locks */
    uint32_t held;   /* number of the lock to whose release it is charged; SG_NOT_TRACKED = none, or
                      * it has been woken */
    uint32_t next;   /* in the chain of its iterator, or in the list of free entries */
    uint32_t next_of_future; /* in the chain of its future */
    uint32_t older, newer;   /* neighbours among the waiters of the same lock */
    bool is_lock;            /* `object` is the lock itself */
    bool is_recorded;        /* the block rate was not 0 when the wait began */
};

/* The waiters of a lock. */
struct queue {
    uint32_t newest, n;
    int64_t charged_mono_ns; /* the delays until then have been charged; 0 = none has */
};

/* All guarded by the GIL. `entries[0]` is not used. */
uint32_t sg_asyncio_waits_count;
static struct entry *entries; /* (N_ENTRIES,) */
static struct queue *queues;  /* (SG_TRACKED_OBJECTS,), by the lock's number */
static uint32_t by_iterator[N_CHAINS], by_future[N_CHAINS];
static uint32_t first_free, n_touched; /* entries up to `n_touched` have been in use */

static uint32_t *chain_of(uint32_t *chains, const void *address) {
    return &chains[(uintptr_t)address * UINT64_C(0x9E3779B97F4A7C15) >> (64 - CHAIN_BITS)];
}

/* Return the link to the entry in `by_future` that waits for `future`; 0 in it = there is none. */
static uint32_t *link_of_future(const void *future) {
    uint32_t *link = chain_of(by_future, future);
    while (*link && entries[*link].future != future)
        link = &entries[*link].next_of_future;
    return link;
}

static void join_queue(uint32_t at) {
    struct entry *entry = &entries[at];
    struct queue *queue = &queues[entry->held];
    uint32_t *chain = chain_of(by_future, entry->future);
    if (!entry->held)
        return;
    entry->next_of_future = *chain;
    *chain = at;
    entry->older = queue->newest;
    entry->newer = NONE;
    if (entry->older)
        entries[entry->older].newer = at;
    queue->newest = at;
    queue->n++;
}

/* From now on the task waits for no release. */
static void leave_queue(uint32_t at) {
    struct entry *entry = &entries[at];
    struct queue *queue = &queues[entry->held];
    if (!entry->held)
        return;
    uint32_t *link = link_of_future(entry->future);
    while (*link != at)
        link = &entries[*link].next_of_future;
    *link = entry->next_of_future;
    if (entry->older)
        entries[entry->older].newer = entry->newer;
    if (entry->newer)
        entries[entry->newer].older = entry->older;
    else
        queue->newest = entry->older;
    queue->n--;
    entry->held = SG_NOT_TRACKED;
}

static void forget_lock(uint32_t lock, const void *address) {
    while (queues[lock].newest)
        leave_queue(queues[lock].newest);
    queues[lock].charged_mono_ns = 0;
    sg_contention_lock_died(address);
}

static void forget_object(uint32_t object, const void *address) {
    (void)object;
    sg_contention_lock_died(address);
}

/* Numbers of what tasks have waited for: locks, which are released by their holders, and other
 * objects. Guarded by the GIL. */
static struct sg_tracked_objects locks = {.died = forget_lock}, objects = {.died = forget_object};

int sg_asyncio_waits_prepare(void) {
    if (!entries)
        entries = sg_memory_map(N_ENTRIES * sizeof *entries);
    if (!queues)
        queues = sg_memory_map(SG_TRACKED_OBJECTS * sizeof *queues);
    if (entries && queues && !sg_tracked_objects_prepare(&locks) &&
        !sg_tracked_objects_prepare(&objects))
        return 0;
    sg_asyncio_waits_discard();
    return -1;
}

static void forget(void) {
    SG_MEMORY_DROP(entries, N_ENTRIES * sizeof *entries);
    SG_MEMORY_DROP(queues, SG_TRACKED_OBJECTS * sizeof *queues);
    sg_asyncio_waits_count = first_free = n_touched = 0;
    memset(by_iterator, 0, sizeof by_iterator);
    memset(by_future, 0, sizeof by_future);
}

void sg_asyncio_waits_discard(void) {
    sg_tracked_objects_discard(&locks);
    sg_tracked_objects_discard(&objects);
    forget();
}

void sg_asyncio_waits_abandon(void) {
    sg_tracked_objects_abandon(&locks);
    sg_tracked_objects_abandon(&objects);
    forget();
}

static uint32_t take_entry(void) {
    uint32_t at = first_free;
    if (at)
        first_free = entries[at].next;
    else if (n_touched + 1 < N_ENTRIES)
        at = ++n_touched;
    return at;
}

/* Take the caller's stack. A Lock is awaited through another primitive only where Condition.wait
 * takes its own lock again: that is the second half of one wait, and the stack is marked. */
static sg_contention_stack take_stack(const struct sg_asyncio_call *call) {
    sg_contention_stack stack = sg_contention_take_stack(NULL, call->primitive);
    return stack != SG_STACK_LOST && call->held && call->held != call->object
               ? stack | SG_STACK_RESTORES
               : stack;
}

static uint32_t number_of(struct sg_tracked_objects *table, PyObject *object) {
    return object ? sg_tracked_objects_add(table, object) : SG_NOT_TRACKED;
}

void sg_asyncio_waits_begin(const void *iterator, const void *future,
                            const struct sg_asyncio_call *call) {
    bool is_lock = call->held && call->held == call->object;
    uint32_t held = number_of(&locks, call->held);
    uint32_t object = is_lock ? held : number_of(&objects, call->object);
    uint32_t at = entries ? take_entry() : NONE;
    if (!at || (call->held && !held)) /* no release will be charged with it */
        sg_contention_lose_wait();
    if (!at)
        return;
    uint32_t *chain = chain_of(by_iterator, iterator);
    entries[at] = (struct entry){
        .iterator = iterator,
        .future = future,
        .primitive = call->primitive,
        .stack = take_stack(call),
        .labels = sg_labels_of_caller(PyThreadState_Get()) |
                  sg_running_tasks_label_with_gil(PyThreadState_Get()),
        .since_mono_ns = sg_time_mono_ns(),
        .object = object,
        .held = held,
        .is_lock = is_lock,
        .next = *chain,
        .is_recorded = sg_contention_block_rate() != 0,
    };
    *chain = at;
    join_queue(at);
    sg_asyncio_waits_count++;
}

void sg_asyncio_waits_end(const void *iterator) {
    uint32_t *link = chain_of(by_iterator, iterator);
    while (*link && entries[*link].iterator != iterator)
        link = &entries[*link].next;
    uint32_t at = *link;
    if (!at)
        return;
    leave_queue(at);
    const struct entry entry = entries[at];
    *link = entry.next;
    entries[at].next = first_free;
    first_free = at;
    sg_asyncio_waits_count--;
    if (entry.is_recorded)
        sg_contention_record_wait(
            SG_CONTENTION_TASK, entry.primitive,
            sg_tracked_objects_address(entry.is_lock ? &locks : &objects, entry.object),
            entry.stack, entry.labels, sg_time_mono_ns() - entry.since_mono_ns);
}

int64_t sg_asyncio_waits_since(const void *iterator) {
    uint32_t at = sg_asyncio_waits_count ? *chain_of(by_iterator, iterator) : NONE;
    while (at && entries[at].iterator != iterator)
        at = entries[at].next;
    return at ? entries[at].since_mono_ns : 0;
}

/* ---- Releases ---- */

/* Add a delay to the row of all waiters beyond MOST_CHARGES. */
static void add_to_last(struct sg_contention_waiter waiters[MOST_CHARGES], int64_t delay_ns) {
    waiters[MOST_CHARGES - 1].labels = SG_NO_LABELS; /* the row stands for several waiters */
    waiters[MOST_CHARGES - 1].delay_ns += delay_ns;
}

/* List the waiters of a lock with what the release is charged for each. Returns their number. */
static uint32_t list_waiters(const struct queue *queue, int64_t now_ns,
                             struct sg_contention_waiter waiters[MOST_CHARGES]) {
    uint32_t n = 0, n_left = queue->n;
    for (uint32_t at = queue->newest; at; at = entries[at].older, n_left--) {
        const struct entry *entry = &entries[at];
        bool is_new = entry->since_mono_ns > queue->charged_mono_ns;
        int64_t delay_ns = now_ns - (is_new ? entry->since_mono_ns : queue->charged_mono_ns);
        if (n == MOST_CHARGES && !is_new)
            break; /* nor are those behind it new */
        if (n == MOST_CHARGES)
            add_to_last(waiters, delay_ns);
        else
            waiters[n++] = (struct sg_contention_waiter){
                .primitive = entry->primitive,
                .stack = entry->stack,
                .labels = entry->labels,
                .delay_ns = delay_ns,
            };
    }
    if (n_left)
        add_to_last(waiters, n_left * (now_ns - queue->charged_mono_ns));
    return n;
}

void sg_asyncio_waits_charge(const void *future, const struct sg_asyncio_call *call) {
    struct sg_contention_waiter waiters[MOST_CHARGES];
    uint32_t held = call->held ? sg_tracked_objects_find(&locks, call->held) : SG_NOT_TRACKED;
    if (!held || !queues[held].newest)
        return;
    int64_t now_ns = sg_time_mono_ns();
    double weight = sg_contention_sampling_weigh_release(sg_contention_mutex_fraction());
    uint32_t n = weight > 0 ? list_waiters(&queues[held], now_ns, waiters) : 0;
    queues[held].charged_mono_ns = now_ns;
    leave_queue(*link_of_future(future));
    sg_contention_record_drawn_release(call->primitive, call->held, waiters, n, weight);
}
