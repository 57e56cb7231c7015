/* Search for `_AsyncioDebug` by its content: thirteen 32-byte-aligned words in the writable data of
 * a library. Sizes must lie in plausible ranges, and offsets must fit into these sizes. */
#include "tasks/asyncio_offsets.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "platform/loaded_libraries.h"
#include "platform/memory.h"

/* Py_AsyncioModuleDebugOffsets of CPython 3.14 and 3.15. */
struct description {
    uint64_t task_size, task_name, awaited_by, is_task, is_awaited_by_set, coroutine, task_node;
    uint64_t interpreter_size, interpreter_tasks;
    uint64_t thread_size, thread_loop, thread_task, thread_tasks;
};

enum {
    ALIGNMENT = 32,
    LEAST_TASK = 96, /* plausible sizes in bytes, to LARGEST_THREAD */
    LARGEST_TASK = 1024,
    LEAST_INTERPRETER = 100 * 1000,
    LARGEST_INTERPRETER = 10 * 1000 * 1000,
    LEAST_THREAD = 400,
    LARGEST_THREAD = 64 * 1000,
    NODE_BYTES = 16, /* struct llist_node: two pointers */
};

/* The single searching thread writes it before any other thread reads; constant once found. */
static struct sg_asyncio_offsets found;

static bool is_field(uint64_t offset, uint64_t bytes, uint64_t size) {
    return offset && offset % (bytes < 8 ? 1 : 8) == 0 && offset + bytes <= size;
}

static bool is_description(const struct description *it) {
    return it->task_size >= LEAST_TASK && it->task_size <= LARGEST_TASK &&
           it->interpreter_size >= LEAST_INTERPRETER &&
           it->interpreter_size <= LARGEST_INTERPRETER && it->thread_size >= LEAST_THREAD &&
           it->thread_size <= LARGEST_THREAD && is_field(it->task_name, 8, it->task_size) &&
           is_field(it->awaited_by, 8, it->task_size) &&
           is_field(it->coroutine, 8, it->task_size) && is_field(it->is_task, 1, it->task_size) &&
           is_field(it->is_awaited_by_set, 1, it->task_size) &&
           is_field(it->task_node, NODE_BYTES, it->task_size) &&
           is_field(it->interpreter_tasks, NODE_BYTES, it->interpreter_size) &&
           is_field(it->thread_loop, 8, it->thread_size) &&
           it->thread_task == it->thread_loop + 8 &&
           is_field(it->thread_tasks, NODE_BYTES, it->thread_size);
}

static void keep(const struct description *it) {
    found = (struct sg_asyncio_offsets){
        .task_size = (int32_t)it->task_size,
        .task_name = (int32_t)it->task_name,
        .coroutine = (int32_t)it->coroutine,
        .awaited_by = (int32_t)it->awaited_by,
        .is_awaited_by_set = (int32_t)it->is_awaited_by_set,
        .task_node = (int32_t)it->task_node,
        .interpreter_tasks = (int32_t)it->interpreter_tasks,
        .thread_loop = (int32_t)it->thread_loop,
        .thread_task = (int32_t)it->thread_task,
        .thread_tasks = (int32_t)it->thread_tasks,
    };
}

/* Return whether the library `name` may contain `_asyncio`, which is either a library of its own or
 * a part of libpython or of the program (whose name is empty). */
static bool may_have_it(const char *name) {
    return !*name || strstr(name, "_asyncio") || strstr(name, "python");
}

static int look_through(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size;
    (void)unused;
    if (!may_have_it(info->dlpi_name))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + part->p_vaddr, end = at + part->p_filesz;
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_W))
            continue;
        at = (at + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        for (; at + sizeof(struct description) <= end; at += ALIGNMENT) {
            if (is_description((const struct description *)at)) {
                keep((const struct description *)at);
                return 1;
            }
        }
    }
    return 0;
}

void sg_asyncio_offsets_search(void) {
    if (!found.task_size)
        sg_loaded_libraries_visit(look_through, NULL);
}

const struct sg_asyncio_offsets *sg_asyncio_offsets_get(uint64_t task_size) {
    return found.task_size && (uint64_t)found.task_size == task_size ? &found : NULL;
}
