/* Waiting tasks: one array of entries. Each entry is in two lists: in a hash chain by its iterator,
 * to be found when the await ends, and among the waiters of the object that it waits for
 * (`firsts`), to be charged to the object's release.
 *
 *     chains[hash] ─▶ entry ─next─▶ entry       firsts[object] ─▶ entry ◀─later, earlier─▶ entry
 *
 * An object has a number while it lives (tracked_objects.h). Once a release has woken a waiter, the
 * waiter waits only for its turn in the event loop, and that time is charged to no release. */
#include "asyncio/waits.h"

#include "contention/contention.h"
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
    int64_t charged_mono_ns; /* the delay until then has been charged; 0 = none has */
    uint32_t object, held;   /* numbers of sg_asyncio_call's objects */
    uint32_t next; /* next entry in the iterator's chain, or in the list of free entries */
    uint32_t later, earlier; /* neighbours in the list of the same lock's waiters */
    bool is_recorded;        /* the block rate was not 0 when the wait began */
    bool is_woken;           /* a release has woken the task: no further release is charged */
};

/* All guarded by the GIL. `entries[0]` is not used. */
uint32_t sg_asyncio_waits_count;
static struct entry *entries; /* (N_ENTRIES,) */
static uint32_t *firsts; /* (SG_WATCHED_OBJECTS,): head of each object's list, the newest waiter */
static uint32_t chains[N_CHAINS];
static uint32_t first_free, n_touched; /* entries up to `n_touched` have been in use */

static uint32_t *chain_of(const void *iterator) {
    return &chains[(uintptr_t)iterator * UINT64_C(0x9E3779B97F4A7C15) >> (64 - CHAIN_BITS)];
}

static void forget_object(uint32_t object, const void *address) {
    for (uint32_t at = firsts[object]; at; at = entries[at].later)
        entries[at].held = SG_NOT_WATCHED;
    firsts[object] = NONE;
    sg_contention_lock_died(address);
}

/* Numbers of the objects that tasks have waited for. Guarded by the GIL. */
static struct sg_tracked_objects objects = {.died = forget_object};

int sg_asyncio_waits_prepare(void) {
    if (!entries)
        entries = sg_memory_map(N_ENTRIES * sizeof *entries);
    if (!firsts)
        firsts = sg_memory_map(SG_WATCHED_OBJECTS * sizeof *firsts);
    if (entries && firsts && !sg_tracked_objects_prepare(&objects))
        return 0;
    sg_asyncio_waits_discard();
    return -1;
}

static void forget(void) {
    sg_memory_unmap(entries, N_ENTRIES * sizeof *entries);
    sg_memory_unmap(firsts, SG_WATCHED_OBJECTS * sizeof *firsts);
    entries = NULL;
    firsts = NULL;
    sg_asyncio_waits_count = first_free = n_touched = 0;
    for (uint32_t i = 0; i < N_CHAINS; i++)
        chains[i] = NONE;
}

void sg_asyncio_waits_discard(void) {
    sg_tracked_objects_discard(&objects);
    forget();
}

void sg_asyncio_waits_abandon(void) {
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

static void join_waiters(uint32_t at) {
    struct entry *entry = &entries[at];
    entry->later = entry->held ? firsts[entry->held] : NONE;
    entry->earlier = NONE;
    if (!entry->held)
        return;
    if (entry->later)
        entries[entry->later].earlier = at;
    firsts[entry->held] = at;
}

static void leave_waiters(const struct entry *entry) {
    if (!entry->held)
        return;
    if (entry->later)
        entries[entry->later].earlier = entry->earlier;
    if (entry->earlier)
        entries[entry->earlier].later = entry->later;
    else
        firsts[entry->held] = entry->later;
}

/* Take the caller's stack. A Lock is awaited through another primitive only where Condition.wait
 * takes its own lock again: that is the second half of one wait, and the stack is marked. */
static sg_contention_stack take_stack(const struct sg_asyncio_call *call) {
    sg_contention_stack stack = sg_contention_take_stack(NULL, call->primitive);
    return stack != SG_STACK_LOST && call->held && call->held != call->object
               ? stack | SG_STACK_RESTORES
               : stack;
}

static uint32_t number_of(PyObject *object) {
    return object ? sg_tracked_objects_watch(&objects, object) : SG_NOT_WATCHED;
}

void sg_asyncio_waits_begin(const void *iterator, const void *future,
                            const struct sg_asyncio_call *call) {
    uint32_t object = number_of(call->object);
    uint32_t held = call->held == call->object ? object : number_of(call->held);
    uint32_t at = entries ? take_entry() : NONE;
    if (!at) {
        sg_contention_lose_wait();
        return;
    }
    uint32_t *chain = chain_of(iterator);
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
        .next = *chain,
        .is_recorded = sg_contention_block_rate() != 0,
    };
    *chain = at;
    join_waiters(at);
    sg_asyncio_waits_count++;
}

void sg_asyncio_waits_end(const void *iterator) {
    uint32_t *link = chain_of(iterator);
    while (*link && entries[*link].iterator != iterator)
        link = &entries[*link].next;
    uint32_t at = *link;
    if (!at)
        return;
    const struct entry entry = entries[at];
    *link = entry.next;
    leave_waiters(&entry);
    entries[at].next = first_free;
    first_free = at;
    sg_asyncio_waits_count--;
    if (entry.is_recorded)
        sg_contention_record_wait(SG_CONTENTION_TASK, entry.primitive,
                                  sg_tracked_objects_address(&objects, entry.object), entry.stack,
                                  entry.labels, sg_time_mono_ns() - entry.since_mono_ns);
}

void sg_asyncio_waits_charge(const void *future, const struct sg_asyncio_call *call) {
    struct sg_contention_waiter waiters[MOST_CHARGES];
    uint32_t n = 0, held = call->held ? sg_tracked_objects_find(&objects, call->held) : 0;
    int64_t now_ns = held && firsts[held] ? sg_time_mono_ns() : 0;
    for (uint32_t at = held ? firsts[held] : NONE; at; at = entries[at].later) {
        struct entry *entry = &entries[at];
        int64_t since_ns = entry->charged_mono_ns ? entry->charged_mono_ns : entry->since_mono_ns;
        if (entry->is_woken)
            continue;
        entry->is_woken = entry->future == future;
        entry->charged_mono_ns = now_ns;
        if (n == MOST_CHARGES) {
            waiters[n - 1].labels = SG_NO_LABELS; /* the row stands for several waiters */
            waiters[n - 1].delay_ns += now_ns - since_ns;
        } else
            waiters[n++] = (struct sg_contention_waiter){
                .primitive = entry->primitive,
                .stack = entry->stack,
                .labels = entry->labels,
                .delay_ns = now_ns - since_ns,
            };
    }
    if (n)
        sg_contention_record_release(call->primitive, call->held, waiters, n);
}
