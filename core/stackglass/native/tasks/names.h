/* Table of label rows: each holds a task's name and the values of label variables. It only grows,
 * so that a sample carries a row by its number.
 *
 *     handlers, engine threads ── put: find or append ──▶ table ──▶ next: writer, for the wire
 *
 * Lock-free. Rows are compared by their bytes, never by an address, so a new task at the address of
 * a freed one gets its own row. Names that asyncio makes up ("Task-12") may fill only a part of the
 * table, so that a server with a task for each request leaves room for other names. */
#ifndef STACKGLASS_TASKS_NAMES_H
#define STACKGLASS_TASKS_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SG_TASK_NAME_BYTES = 120,  /* with the NUL; a longer name or value is cut, and ends in "…" */
    SG_TASK_ROW_BYTES = 248,   /* longest row, see sg_task_names_put */
    SG_MOST_TASK_NAMES = 4096, /* different rows until the table is discarded */
    SG_MOST_NUMBERED_TASKS = 1024, /* of these, rows with a "Task-N" name */
    SG_NO_TASK_NAME = 0,
    /* Stands for all rows that have no room; its text is `<other tasks>`. */
    SG_OTHER_TASKS = 2 * SG_MOST_TASK_NAMES + 1,
};

/* Map the table, unless it is mapped. Returns 0, or -1 if memory is short. Called before any
 * handler reads the table. */
int sg_task_names_prepare(void);
/* Empty and unmap the table. No thread may use the table meanwhile; a forked child may call it. */
void sg_task_names_discard(void);

/* Find or append a row. Returns its number, 1 to SG_OTHER_TASKS, or SG_NO_TASK_NAME if there is no
 * table or another thread is writing to the place where the row belongs.
 *
 * A row is a sequence of texts, each with its key (0 = the task's name, else 1 + the position of
 * the variable), its number of bytes, and its bytes. `is_numbered` says that asyncio made up the
 * name. Async-signal-safe; never waits. */
uint32_t sg_task_names_put(const uint8_t *row, size_t n_bytes, bool is_numbered);

/* Read the next text of row `number`: NUL-terminated into `text`, its key into `key`. `at` is the
 * cursor and begins at 0. Returns false after the last text, or if there is no such row. */
bool sg_task_names_next(uint32_t number, size_t *at, uint32_t *key, char text[SG_TASK_NAME_BYTES]);

/* Limit the table to fewer rows than usual, for tests. */
void sg_task_names_limit(uint32_t n_names, uint32_t n_numbered);

#endif
