/* Labels: the label set that a thread has now.
 *
 *     with stackglass.labels(route="/a"):      the current context has a variable,
 *         …                                    its value is a label set: a float, and a number
 *
 * The program's side is stackglass/api/labels.py: a ContextVar, and a list of label sets that only
 * grows. The label set of a thread is read from its current context at that moment; nothing is
 * cached. So a label follows tasks and contexts as the variable does. A set that cannot be read
 * with certainty counts as none. */
#ifndef STACKGLASS_LABELS_LABELS_H
#define STACKGLASS_LABELS_LABELS_H

#include <Python.h>

#include <stdint.h>

#include "interpreter/contextvars.h"

enum {
    SG_NO_LABELS = 0,
    /* `<other labels>`: stands for all sets beyond the bound of an engine's table. The program's
     * list, once it is full, has the same set under the same number. */
    SG_OTHER_LABELS = (1 << 16) - 1,
};

/* Look for the program's label sets, if they are not known yet: a few dictionary lookups. Caller
 * holds the GIL; runs no code of the program. */
void sg_labels_learn(void);
/* Forget the label sets. Caller holds the GIL, or no Python thread runs; and no signal handler
 * reads labels. */
void sg_labels_forget(void);
/* Reset the state in a forked child, before fork returns. */
void sg_labels_after_fork_in_child(void);

/* Return the number of the label set in the current context of `thread`, a thread state or NULL;
 * SG_NO_LABELS if there is none. `of_caller` reads memory in place. It is async-signal-safe for the
 * calling thread's own state; a caller that holds the GIL may also pass another thread that needs
 * the same GIL to go on. `outside` copies another thread's memory, and its result is right only if
 * that thread did not run meanwhile. */
uint32_t sg_labels_of_caller(const void *thread);
uint32_t sg_labels_outside(const void *thread);
/* Return the number of the label set in `context`. No thread that runs may have entered it. */
uint32_t sg_labels_of_context(const void *context);

/* Return how often a thread's label set could not be read. */
uint64_t sg_labels_n_unknown(void);

/* Return the program's list of label sets, borrowed; NULL if not known. Caller holds the GIL. */
PyObject *sg_labels_list(void);

#endif
