/* What a task of asyncio says of itself: its coroutine, its name, what it waits for.
 *
 * Tasks of C code, and of classes derived from them, are asked by their type's own C getters; tasks
 * in Python (asyncio.tasks._PyTask) keep the same as attributes. Caller holds the GIL; objects are
 * borrowed from the task. */
#ifndef STACKGLASS_THREADS_TASK_FIELDS_H
#define STACKGLASS_THREADS_TASK_FIELDS_H

#include <Python.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tasks/asyncio_offsets.h"
#include "threads/text_copy.h"

/* Good as long as the GIL is held. */
struct sg_task_fields {
    PyTypeObject *task, *future, *python_task; /* borrowed from their modules; NULL = not there */
    const PyGetSetDef *coroutine, *waiter, *state, *loop;
    const struct sg_asyncio_offsets *offsets; /* NULL = before 3.14, or not known */
    int32_t name_at;                          /* in a task of C code; 0 = not known yet */
    int32_t context_at;                       /* the same */
};

void sg_task_fields_learn(struct sg_task_fields *fields);

bool sg_task_fields_is_task(const struct sg_task_fields *fields, PyObject *object);
/* NULL = none, or not known. */
PyObject *sg_task_fields_coroutine(const struct sg_task_fields *fields, PyObject *task);
PyObject *sg_task_fields_waiter(const struct sg_task_fields *fields, PyObject *task);
PyObject *sg_task_fields_loop(const struct sg_task_fields *fields, PyObject *task);
/* The context that the task runs in. */
PyObject *sg_task_fields_context(struct sg_task_fields *fields, PyObject *task);
/* Whether a future, or a task, has no result yet. */
bool sg_task_fields_is_pending(const struct sg_task_fields *fields, PyObject *future);

/* What holds the name, a str or an int; NULL = it is not known, or an attribute. */
PyObject *sg_task_fields_name_object(const struct sg_task_fields *fields, PyObject *task);
/* The task's name; or its number, if asyncio has not made one of it yet ("Task-12"), and "". */
int64_t sg_task_fields_name(struct sg_task_fields *fields, PyObject *task,
                            char text[SG_TEXT_COPY_BYTES]);

#endif
