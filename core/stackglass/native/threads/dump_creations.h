/* Creations of a dump's tasks: the stack that created each task, which tasks of one creator
 * share. */
#ifndef STACKGLASS_THREADS_DUMP_CREATIONS_H
#define STACKGLASS_THREADS_DUMP_CREATIONS_H

#include <Python.h>

#include "threads/dump_rows.h"

/* From now on sg_dump_creations_add has an effect on this dump. */
void sg_dump_creations_begin(struct sg_thread_dump *dump);
/* Fill in the creation of a task's row. A task that is older than the attach has the one frame
 * SG_BEFORE_ATTACH. The caller holds the GIL. */
void sg_dump_creations_add(struct sg_thread_dump *dump, PyObject *task, struct sg_dumped_task *row);
/* Prefetch what sg_dump_creations_add reads. The caller holds the GIL. */
void sg_dump_creations_prefetch(const struct sg_thread_dump *dump, const PyObject *task);

#endif
