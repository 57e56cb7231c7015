/* An 8-way set-associative table of addresses, whose entries refer to a tree of stacks.
 *
 *     task ─▶ 1st bucket: (task, stack, thread) × 8      stack ─▶ tree
 *        └──▶ 2nd bucket, once the first one is full
 *
 * Tasks that are near each other in memory, as those of one time are, are near each other in the
 * table: 16 KiB of memory have one page of it. New tasks take the addresses of ended ones, so the
 * table fills with about as many tasks as were alive at once. Entries are never freed. If both
 * buckets are full, the oldest entry of the second one is overwritten; from then on a task that is
 * not in this bucket is not known.
 *
 * A stack is walked with a memo, so that frames of the event loop, which are the same for most
 * tasks, are only compared. */
#include "threads/task_creations.h"

#include <errno.h>

#include "frames/stack_memo.h"
#include "frames/stack_tree.h"
#include "interpreter/init_patch.h"
#include "interpreter/python_text.h"
#include "platform/hash_index.h"
#include "platform/memory.h"
#include "platform/prefetch.h"
#include "platform/thread_ids.h"

enum {
    N_WAYS = 8,
    BUCKET_BITS = 15,
    N_BUCKETS = 1 << BUCKET_BITS,
    PART_BITS = 9, /* bytes of memory that share a bucket, as a power of two */
    PARTS_BITS = 5,
    PAGE_BITS = BUCKET_BITS - PARTS_BITS,
    N_PAGES = 1 << PAGE_BITS,
    MOST_NODES = 1 << 18, /* frames of the tree; stacks that need more are not known */
    HAS_OVERWRITTEN = N_WAYS,
};

struct bucket {
    struct entry {
        uintptr_t task; /* 0 = free */
        uint32_t stack; /* SG_STACK_LOST = not known */
        pid_t creator;
    } entries[N_WAYS];
};

struct table {
    struct bucket buckets[N_BUCKETS];
    /* of each bucket: the way that is overwritten next, and HAS_OVERWRITTEN */
    uint8_t next[N_BUCKETS];
    /* Of each page: whether it is the first page of a task that was recorded. Else it need not be
     * read, which may be a page fault. */
    bool has_entries[N_PAGES];
};

/* All guarded by the GIL. */
static bool is_open;
static bool was_loaded; /* asyncio, when the recording began: tasks without an entry are older */
static bool is_refused; /* the hook cannot be installed */
static struct table *table; /* NULL = nothing is recorded */
static struct sg_init_patch patch;
static struct sg_stack_tree stacks;
static struct sg_stack_step known[SG_STACK_MEMO_STEPS(SG_MOST_CREATION_FRAMES)];
static struct sg_stack_step fresh[SG_STACK_MEMO_STEPS(SG_MOST_CREATION_FRAMES)];
static struct sg_stack_memo memo = {.known = known, .fresh = fresh};

enum place { FIRST, SECOND };

static uint32_t bucket_of(uintptr_t task, enum place place) {
    uint64_t page = sg_hash_index_mix(task >> (PART_BITS + PARTS_BITS), place) >> (64 - PAGE_BITS);
    return (uint32_t)(page << PARTS_BITS | (task >> PART_BITS & ((1 << PARTS_BITS) - 1)));
}

static bool *page_of(uint32_t bucket) { return &table->has_entries[bucket >> PARTS_BITS]; }

static struct entry *find_in(uint32_t bucket, uintptr_t task) {
    struct entry *entry = table->buckets[bucket].entries;
    for (int way = 0; way < N_WAYS; way++, entry++)
        if (entry->task == task || !entry->task)
            return entry;
    return NULL;
}

/* Return the entry of the task, or the free one that it would get; NULL = its buckets are full. */
static struct entry *find(uintptr_t task) {
    struct entry *entry = find_in(bucket_of(task, FIRST), task);
    return entry ? entry : find_in(bucket_of(task, SECOND), task);
}

/* ---- Recording ---- */

static uint32_t call(uint32_t caller, sg_code_id pseudo) {
    return sg_stack_tree_call(&stacks, caller, (struct sg_frame){pseudo, -1});
}

/* Return the stack of the calling thread; SG_STACK_LOST if there is no room. */
static uint32_t walk(void) {
    if (sg_stack_tree_count(&stacks) >= MOST_NODES)
        return SG_STACK_LOST;
    memo.capacity = SG_MOST_CREATION_FRAMES - 1; /* the last frame may be SG_TRUNCATED */
    uint32_t n_same = sg_stack_memo_read(&memo, PyThreadState_Get());
    uint32_t stack = n_same        ? known[n_same - 1].value
                     : memo.is_cut ? call(SG_NO_STACK, SG_TRUNCATED)
                                   : SG_NO_STACK;
    for (uint32_t i = n_same; i < memo.n_known; i++) {
        struct sg_frame frame;
        if (sg_stack_memo_look(&known[i], &frame) == SG_STEP_IS_FRAME)
            stack = sg_stack_tree_call(&stacks, stack, frame);
        known[i].value = stack;
    }
    if (stack == SG_NO_STACK) /* C code has created the task */
        stack = call(stack, SG_NATIVE);
    if (stack == SG_STACK_LOST)
        sg_stack_memo_forget(&memo);
    return stack;
}

static struct entry *find_oldest(uint32_t bucket) {
    uint8_t *next = &table->next[bucket];
    uint32_t way = *next % N_WAYS;
    *next = (uint8_t)((way + 1) % N_WAYS | HAS_OVERWRITTEN);
    return &table->buckets[bucket].entries[way];
}

static void record(uintptr_t task) {
    struct entry *entry = find(task);
    if (!entry)
        entry = find_oldest(bucket_of(task, SECOND));
    *page_of(bucket_of(task, FIRST)) = true; /* only if that is full, the second is looked at */
    *entry = (struct entry){task, walk(), sg_thread_ids_own()};
}

/* A task that is started eagerly runs within the original, and may be in a dump by then. */
static int init_task(PyObject *task, PyObject *arguments, PyObject *names) {
    if (table) {
        int error = errno;
        record((uintptr_t)task);
        errno = error;
    }
    return patch.original(task, arguments, names);
}

/* ---- Looking up ---- */

struct sg_task_creation sg_task_creations_find(PyObject *task) {
    struct sg_task_creation creation = {.stack = SG_NO_STACK};
    if (!table || (Py_TYPE(task) != patch.type && !PyType_IsSubtype(Py_TYPE(task), patch.type)) ||
        !sg_init_patch_covers(&patch, Py_TYPE(task)))
        return creation;
    uintptr_t address = (uintptr_t)task;
    if (!*page_of(bucket_of(address, FIRST))) {
        creation.is_older = was_loaded;
        return creation;
    }
    const struct entry *entry = find(address);
    if (entry && entry->task) {
        if (entry->stack != SG_STACK_LOST)
            creation = (struct sg_task_creation){entry->stack, entry->creator, false};
        return creation;
    }
    uint8_t marks =
        table->next[bucket_of(address, FIRST)] | table->next[bucket_of(address, SECOND)];
    creation.is_older = was_loaded && !(marks & HAS_OVERWRITTEN);
    return creation;
}

void sg_task_creations_prefetch(const PyObject *task) {
    uint32_t bucket = bucket_of((uintptr_t)task, FIRST);
    if (table && *page_of(bucket))
        sg_prefetch(&table->buckets[bucket], sizeof(struct entry));
}

uint32_t sg_task_creations_copy_stack(uint32_t stack, struct sg_frame *frames, uint32_t capacity) {
    return sg_stack_tree_get(&stacks, stack, frames, capacity);
}

/* ---- Beginning and end ---- */

static void forget(void) {
    SG_MEMORY_DROP(table, sizeof *table);
    sg_stack_tree_discard(&stacks);
    sg_stack_memo_forget(&memo);
    is_open = was_loaded = is_refused = false;
}

static bool prepare(void) {
    if (sg_stack_tree_prepare(&stacks))
        return false;
    table = sg_memory_map(sizeof *table);
    return table != NULL;
}

void sg_task_creations_learn(void) {
    if (!is_open || table || is_refused)
        return;
    PyObject *task = sg_python_text_global_type("_asyncio", "Task"); /* borrowed */
    if (!task || (prepare() && !sg_init_patch_apply(&patch, (PyTypeObject *)task, init_task)))
        return;
    forget();
    is_open = is_refused = true;
}

void sg_task_creations_open(void) {
    is_open = true;
    sg_task_creations_learn();
    was_loaded = table != NULL;
}

void sg_task_creations_close(void) {
    sg_init_patch_restore(&patch, init_task);
    forget();
}

void sg_task_creations_after_fork_in_child(void) {
    sg_init_patch_abandon(&patch, init_task);
    forget();
}
