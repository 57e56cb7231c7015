/* A table of four rows. The `state` of a row decides which thread may use the rest of the row.
 *
 *     FREE ──request: the writer──▶ WANTED ──learn: GIL──▶ KNOWN, read by handlers
 *                                      └─▶ REFUSED: contexts cannot be read here */
#include "labels/variables.h"

#include <stdatomic.h>
#include <string.h>

#include "interpreter/python_text.h"

enum { FREE, WANTED, KNOWN, REFUSED };

struct wanted {
    _Atomic int state;              /* decides which thread may use the rest */
    char module[SG_VARIABLE_BYTES]; /* module, NUL, VAR */
    const char *name;               /* VAR: points into `module`, behind its first NUL */
    struct sg_contextvar variable;
    PyObject *object; /* owned */
};

/* A row is written by the thread that requests it, and from then on with the GIL held. Signal
 * handlers read the row once it is KNOWN. */
static struct wanted rows[SG_MOST_VARIABLES];
static _Atomic uint32_t n_known; /* lock-free */

static bool is_row(const struct wanted *row, const char *module, const char *name) {
    return strcmp(row->module, module) == 0 && strcmp(row->name, name) == 0;
}

static void add(const char *text, size_t n_bytes) {
    char copy[SG_VARIABLE_BYTES];
    const char *colon = memchr(text, ':', n_bytes);
    size_t at = colon ? (size_t)(colon - text) : 0;
    if (!at || at + 1 == n_bytes || n_bytes >= sizeof copy)
        return;
    memcpy(copy, text, n_bytes);
    copy[n_bytes] = copy[at] = 0;
    for (int i = 0; i < SG_MOST_VARIABLES; i++) {
        struct wanted *row = &rows[i];
        if (atomic_load(&row->state) != FREE) {
            if (is_row(row, copy, copy + at + 1))
                return;
            continue;
        }
        memcpy(row->module, copy, n_bytes + 1);
        row->name = row->module + at + 1;
        atomic_store(&row->state, WANTED);
        return;
    }
}

void sg_variables_request(const char *text, size_t n_bytes) {
    const char *end = text + n_bytes;
    while (text < end) {
        const char *comma = memchr(text, ',', (size_t)(end - text));
        const char *next = comma ? comma : end;
        add(text, (size_t)(next - text));
        text = next + 1;
    }
}

static void learn(struct wanted *row) {
    PyObject *object = sg_python_text_global(row->module, row->name); /* borrowed */
    if (!object)
        return;
    if (sg_contextvars_prepare()) {
        atomic_store(&row->state, REFUSED);
        return;
    }
    if (!sg_contextvars_identify(object, &row->variable))
        return; /* the name may be bound to a ContextVar later */
    Py_INCREF(object);
    row->object = object;
    atomic_store(&row->state, KNOWN);
    atomic_fetch_add(&n_known, 1);
}

void sg_variables_learn(void) {
    for (int i = 0; i < SG_MOST_VARIABLES; i++)
        if (atomic_load(&rows[i].state) == WANTED)
            learn(&rows[i]);
}

void sg_variables_forget(void) {
    atomic_store(&n_known, 0);
    for (int i = 0; i < SG_MOST_VARIABLES; i++) {
        atomic_store(&rows[i].state, FREE);
        Py_CLEAR(rows[i].object);
    }
}

void sg_variables_after_fork_in_child(void) {
    atomic_store(&n_known, 0);
    for (int i = 0; i < SG_MOST_VARIABLES; i++) {
        atomic_store(&rows[i].state, FREE);
        rows[i].object = NULL; /* the reference is not released */
    }
}

bool sg_variables_are_known(void) {
    return atomic_load_explicit(&n_known, memory_order_relaxed) != 0;
}

enum sg_contextvar_result sg_variables_find(uint32_t i, const void *thread, sg_read_fn *read,
                                            uintptr_t *value) {
    const struct wanted *row = &rows[i];
    if (atomic_load_explicit(&row->state, memory_order_acquire) != KNOWN)
        return SG_CONTEXTVAR_UNSET;
    return sg_contextvars_find(thread, &row->variable, read, value);
}

const char *sg_variables_key(uint32_t i) { return rows[i].name ? rows[i].name : "?"; }
