/* Context variables of the program that a client asks to record as labels; their values are a str
 * or an int.
 *
 *     client: "module:VAR" ─▶ request ─▶ learn: the ContextVar ─▶ find: its value in a thread
 *
 * The key of such a label is VAR, the variable's name in its module. */
#ifndef STACKGLASS_LABELS_VARIABLES_H
#define STACKGLASS_LABELS_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "interpreter/contextvars.h"

enum { SG_MOST_VARIABLES = 4, SG_VARIABLE_BYTES = 128 /* "module:VAR" and a NUL */ };

/* Request the variables in `text`, each "module:VAR", separated by commas. Skips a variable that
 * was requested before, a text that is too long or has another form, and variables beyond
 * SG_MOST_VARIABLES. Always called by the same thread. */
void sg_variables_request(const char *text, size_t n_bytes);

/* Look for the variables that are not known yet; their modules need not be imported. Caller holds
 * the GIL; runs no code of the program. */
void sg_variables_learn(void);
/* Forget all variables; their keys stay readable. Caller holds the GIL, or no Python thread runs;
 * and no signal handler reads variables. */
void sg_variables_forget(void);
void sg_variables_after_fork_in_child(void);

/* Whether any variable is known. Async-signal-safe. */
bool sg_variables_are_known(void);
/* Find the value of variable `i` (< SG_MOST_VARIABLES) in the context of `thread`, as
 * sg_contextvars_find does; `value` is borrowed from the context. */
enum sg_contextvar_result sg_variables_find(uint32_t i, const void *thread, sg_read_fn *read,
                                            uintptr_t *value);
/* Return the key of variable `i`, which has been found at least once. */
const char *sg_variables_key(uint32_t i);

#endif
