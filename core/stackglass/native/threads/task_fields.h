/* Task fields: the coroutine, the name, the loop … of an asyncio task, read without running code of
 * the program.
 *
 * C tasks (_asyncio.Task and derived classes) are read in place, by offsets that the C getters of
 * that type show. Python tasks (asyncio.tasks._PyTask) keep the same values as attributes. The
 * caller holds the GIL; returned objects are borrowed from the task. */
#ifndef STACKGLASS_THREADS_TASK_FIELDS_H
#define STACKGLASS_THREADS_TASK_FIELDS_H

#include <Python.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tasks/asyncio_offsets.h"
#include "threads/text_copy.h"

/* What is needed to read tasks. Valid as long as the GIL is held: a caller that has released the
 * GIL learns it again. */
struct sg_task_fields {
    PyTypeObject *task, *future, *python_task; /* borrowed from their modules; NULL = not loaded */
    const PyGetSetDef *state;
    uint64_t task_bytes;                      /* size of a C task */
    const struct sg_asyncio_offsets *offsets; /* NULL = before 3.14, or not known */
    int32_t name_at, context_at;              /* offsets in a C task; 0 = not known yet */
};

/* Fill in `fields`. A type that the program has not loaded is NULL, and no object has it. */
void sg_task_fields_learn(struct sg_task_fields *fields);

bool sg_task_fields_is_task(const struct sg_task_fields *fields, PyObject *object);
/* Return the object, or NULL if there is none or it is not known. */
PyObject *sg_task_fields_coroutine(const struct sg_task_fields *fields, PyObject *task);
PyObject *sg_task_fields_waiter(const struct sg_task_fields *fields, PyObject *task);
PyObject *sg_task_fields_loop(const struct sg_task_fields *fields, PyObject *task);
/* Return the context that the task runs in. */
PyObject *sg_task_fields_context(struct sg_task_fields *fields, PyObject *task);
/* Return whether a future or a task has no result yet. */
bool sg_task_fields_is_pending(const struct sg_task_fields *fields, PyObject *future);

/* Return the object that a C task keeps as its name, a str or an int; NULL if it is not known or
 * the task is a Python task. */
PyObject *sg_task_fields_name_object(const struct sg_task_fields *fields, PyObject *task);
/* Return the beginning of a C task's name in place, SG_MOST_CHARACTERS at most, if it is known and
 * is an ASCII str; else NULL. It is not NUL-terminated there. */
const char *sg_task_fields_ascii_name(const struct sg_task_fields *fields, PyObject *task,
                                      size_t *n);
/* Copy the task's name and return 0. asyncio builds a default name "Task-N" at its first use; until
 * then `text` is "" and N is returned. */
int64_t sg_task_fields_name(struct sg_task_fields *fields, PyObject *task,
                            char text[SG_TEXT_COPY_BYTES]);

#endif
