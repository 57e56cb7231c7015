/* Names of tasks, each with the values of variables that are labels too: a table that only grows,
 * so that a sample carries a number.
 *
 *     handlers, engine threads ── put: find or append ──▶ table ──▶ text: writer, for the wire
 *
 * Lock-free. A name is known by its characters, never by an address, so a new task at an old
 * address has its own. Names that asyncio makes up ("Task-12") have a part of the table, so that a
 * server with a task for each request leaves room for others. */
#ifndef STACKGLASS_TASKS_NAMES_H
#define STACKGLASS_TASKS_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SG_TASK_NAME_BYTES = 120,  /* with the NUL; a longer name or value is cut, and ends in "…" */
    SG_TASK_ROW_BYTES = 248,   /* of a row, see put */
    SG_MOST_TASK_NAMES = 4096, /* different ones in a session */
    SG_MOST_NUMBERED_TASKS = 1024, /* of these, "Task-N" */
    SG_NO_TASK_NAME = 0,
    /* Names beyond these: `<other tasks>`. */
    SG_OTHER_TASKS = 2 * SG_MOST_TASK_NAMES + 1,
};

/* Map the table, if it is not there: 0 or -1. Before any handler reads. */
int sg_task_names_prepare(void);
/* Empty and unmap it. Nothing uses it. Also in a forked child. */
void sg_task_names_discard(void);

/* The number of a row, 1 to SG_OTHER_TASKS; SG_NO_TASK_NAME = another thread is writing one in its
 * place, or there is no table. A row is pairs of texts: the key's position (0 = the task's name,
 * else 1 + that of a variable), the number of bytes, the bytes. `is_numbered`: asyncio made the
 * name. Async-signal-safe, never waits. */
uint32_t sg_task_names_put(const uint8_t *row, size_t n_bytes, bool is_numbered);

/* The next text of a row, NUL-terminated in `text`, and its key's position; `at` begins at 0. False
 * = there is no further one, or no such row. */
bool sg_task_names_next(uint32_t number, size_t *at, uint32_t *key, char text[SG_TASK_NAME_BYTES]);

/* Limit the table to fewer names than usual: for tests. */
void sg_task_names_limit(uint32_t n_names, uint32_t n_numbered);

#endif
