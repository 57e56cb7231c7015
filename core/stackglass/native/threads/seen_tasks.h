/* Seen tasks: those that a dump has read, in this slice or an earlier one. Caller holds the GIL. */
#ifndef STACKGLASS_THREADS_SEEN_TASKS_H
#define STACKGLASS_THREADS_SEEN_TASKS_H

#include "threads/dump_rows.h"

/* Whether the dump is to have this task at all: it may choose one in so many. */
bool sg_seen_tasks_is_chosen(const struct sg_thread_dump *dump, uintptr_t task);

bool sg_seen_tasks_has(const struct sg_thread_dump *dump, uintptr_t task);
/* False = no room; then the dump is not whole. */
bool sg_seen_tasks_add(struct sg_thread_dump *dump, uintptr_t task);
/* Room for `n` more, if there is memory. */
void sg_seen_tasks_make_room(struct sg_thread_dump *dump, size_t n);

#endif
