/* Each stack is copied to the dump's frames once, because thousands of tasks may have one creator.
 */
#include "threads/dump_creations.h"

#include "frames/stack_tree.h"
#include "threads/task_creations.h"

/* A stack that is in the dump's frames. */
struct copied {
    uint64_t stack; /* its number; BEFORE_ATTACH */
    uint32_t first_frame, depth;
};

enum { BEFORE_ATTACH = INT32_MAX }; /* above all numbers of stacks */

void sg_dump_creations_begin(struct sg_thread_dump *dump) {
    dump->creations.entry_bytes = sizeof(struct copied);
}

static void copy(struct sg_thread_dump *dump, struct copied *copied) {
    if (!SG_ROWS_RESERVE(&dump->frames, SG_MOST_CREATION_FRAMES)) {
        dump->is_whole = false;
        return;
    }
    struct sg_frame *frames = dump->frames.at + dump->frames.n;
    copied->first_frame = (uint32_t)dump->frames.n;
    if (copied->stack == BEFORE_ATTACH)
        frames[copied->depth++] = (struct sg_frame){SG_BEFORE_ATTACH, -1};
    else
        copied->depth =
            sg_task_creations_copy_stack((uint32_t)copied->stack, frames, SG_MOST_CREATION_FRAMES);
    dump->frames.n += copied->depth;
}

void sg_dump_creations_add(struct sg_thread_dump *dump, PyObject *task,
                           struct sg_dumped_task *row) {
    if (!dump->creations.entry_bytes)
        return;
    struct sg_task_creation creation = sg_task_creations_find(task);
    if (creation.stack == SG_NO_STACK && !creation.is_older)
        return;
    uint64_t key = creation.is_older ? BEFORE_ATTACH : creation.stack;
    struct copied *copied = sg_hash_table_add(&dump->creations, key);
    if (!copied) {
        dump->is_whole = false;
        return;
    }
    if (!copied->depth)
        copy(dump, copied);
    row->creator = creation.creator;
    row->creation_first_frame = copied->first_frame;
    row->creation_depth = copied->depth;
}

void sg_dump_creations_prefetch(const struct sg_thread_dump *dump, const PyObject *task) {
    if (dump->creations.entry_bytes)
        sg_task_creations_prefetch(task);
}
