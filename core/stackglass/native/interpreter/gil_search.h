/* GIL search: finds the main interpreter's GIL in memory.
 *
 *     3.9 to 3.11   the GIL lies in _PyRuntime, before the main interpreter's state
 *     3.12          the GIL lies in the main interpreter's state, which also points to it
 *     3.13 to 3.15  the same, and the debug offsets give the offset of the pointer
 *
 * A place is taken for the GIL if the calling thread is its holder, if it has the switch interval
 * that `sys` reports and two mutexes, and if there is no other such place. From 3.12 on a
 * subinterpreter may have a GIL of its own, to which its state points from the same offset. */
#ifndef STACKGLASS_INTERPRETER_GIL_SEARCH_H
#define STACKGLASS_INTERPRETER_GIL_SEARCH_H

#include <stdint.h>

#include "interpreter/gil.h"

/* Set `gil` to the GIL's address (0 = not found), and `pointer` to the offset of the pointer to it
 * in an interpreter state (0 = none, up to 3.11). Returns NULL, or one sentence that says why the
 * GIL was not found. The caller holds the GIL of the main interpreter; sg_debug_offsets and
 * sg_python_symbols are known. */
const char *sg_gil_search(uintptr_t *gil, int32_t *pointer);

#endif
