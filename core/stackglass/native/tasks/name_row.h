/* Name row: the bytes of one entry in the table of names (names.h), built from objects of the
 * program. It holds the name of a task and the values of the context variables that the user chose
 * as labels.
 *
 *     │ 0 │ 6 │ worker │        the task's name: key, number of bytes, bytes
 *     │ 1 │ 3 │ GET │           the first variable's value
 *
 * Names and values are str or int objects. The functions read them through `read`, and are
 * async-signal-safe if `read` is. */
#ifndef STACKGLASS_TASKS_NAME_ROW_H
#define STACKGLASS_TASKS_NAME_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "interpreter/contextvars.h"
#include "tasks/names.h"

struct sg_name_row {
    uint8_t bytes[SG_TASK_ROW_BYTES];
    size_t n;           /* bytes in use */
    bool is_numbered;   /* asyncio made the task's name: "Task-12" */
    bool is_unreadable; /* a text could not be read, or had no room */
};

/* Append the name of a task; `name_field` is the address of the task's name field. From 3.12 on,
 * asyncio builds a default name at its first use. Until then the field holds the task's number as
 * an int, and the row gets "Task-" in front of it. */
void sg_name_row_put_task(struct sg_name_row *row, uintptr_t name_field, sg_read_fn *read);
/* Append the values of the label variables in the context of `thread`, a thread state. */
void sg_name_row_put_variables(struct sg_name_row *row, const void *thread, sg_read_fn *read);

#endif
