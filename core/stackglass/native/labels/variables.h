/* Variables of the program that are labels by request: context variables with a str or an int.
 *
 *     client: "module:VAR" ─▶ request ─▶ learn: the ContextVar ─▶ find: its value in a thread
 *
 * A label's key is VAR. */
#ifndef STACKGLASS_LABELS_VARIABLES_H
#define STACKGLASS_LABELS_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "interpreter/contextvars.h"

enum { SG_MOST_VARIABLES = 4, SG_VARIABLE_BYTES = 128 /* "module:VAR" and a NUL */ };

/* Add variables to those that are labels: "module:VAR", separated by commas. What is there already,
 * cannot be a variable, or is one too many is left out. One thread. */
void sg_variables_request(const char *text, size_t n_bytes);

/* Look for the variables that are not known yet; their modules need not be imported. Caller holds
 * the GIL; runs no code of the program. */
void sg_variables_learn(void);
/* Forget all. Caller holds the GIL, or no Python thread runs; no handler reads. Keys stay. */
void sg_variables_forget(void);
void sg_variables_after_fork_in_child(void);

/* Whether any is known. Async-signal-safe. */
bool sg_variables_are_known(void);
/* The value of variable `i` (< SG_MOST_VARIABLES) in the context of `thread`, borrowed from it; as
 * sg_contextvars_find. */
enum sg_contextvar_result sg_variables_find(uint32_t i, const void *thread, sg_read_fn *read,
                                            uintptr_t *value);
/* The key of variable `i`; it has been found once. */
const char *sg_variables_key(uint32_t i);

#endif
