/* Evaluation loop: finds the machine code of CPython's _PyEval_EvalFrameDefault.
 *
 * Compilers move code that they expect to run rarely out of a function, sometimes most of it:
 *
 *     _PyEval_EvalFrameDefault │ … je ─┼──▶ │ the rest, an FDE of its own │
 *
 * The rest is found by the jumps to it: its frame has the layout of the loop's frame at the
 * jump. */
#ifndef STACKGLASS_UNWIND_LOOP_H
#define STACKGLASS_UNWIND_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/tables.h"

/* Find the parts, once. An engine thread calls it, inside the tables. */
void sg_loop_learn(const struct sg_unwind_map *map);
/* Return whether the address is in the loop. Async-signal-safe. */
bool sg_loop_holds(uintptr_t code);
/* Return whether the bytecode instructions are functions that tail-call each other (3.14 and later,
 * as some compilers build it): then the C frame that the loop has called belongs to one of them.
 * Async-signal-safe. */
bool sg_loop_has_functions(void);
void sg_loop_forget(void);

#endif
