/* Name row: a row of the table of names (names.h), built from the program's objects: the task's
 * name, and the values of the variables that are labels.
 *
 *     │ 0 │ 6 │ worker │        the task's name: key, number of bytes, bytes
 *     │ 1 │ 3 │ GET │           the first variable's value
 *
 * Objects are read by `read`: async-signal-safe if it is. A value is a str or an int. */
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

/* Append the name of a task, which is in the task's field at this address. From 3.12 on asyncio
 * makes a name at its first use: until then the field has the number, and "Task-" is put before it.
 */
void sg_name_row_put_task(struct sg_name_row *row, uintptr_t name_field, sg_read_fn *read);
/* Append the values of the variables that are labels, in the context of `thread`. */
void sg_name_row_put_variables(struct sg_name_row *row, const void *thread, sg_read_fn *read);

#endif
