/* Evaluation loop: where its machine code lies.
 *
 * Compilers move what they take for rare out of a function, sometimes most of it:
 *
 *     _PyEval_EvalFrameDefault │ … je ─┼──▶ │ the rest, an FDE of its own │
 *
 * The rest is found by the jumps: its frame is laid out as that of the loop where it is jumped
 * from. */
#ifndef STACKGLASS_UNWIND_LOOP_H
#define STACKGLASS_UNWIND_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/tables.h"

/* Find the parts, once. One engine thread, inside the tables. */
void sg_loop_learn(const struct sg_unwind_map *map);
/* Whether the address is in the loop. Async-signal-safe. */
bool sg_loop_holds(uintptr_t code);
/* Whether its instructions are functions that call each other as their last act (3.14 and later, as
 * some compilers build it): then the C frame that the loop has called is one of them.
 * Async-signal-safe. */
bool sg_loop_has_functions(void);
void sg_loop_forget(void);

#endif
