/* Search for the main interpreter's GIL.
 *
 *     3.9 to 3.11   in _PyRuntime, before the main interpreter's state
 *     3.12          the main interpreter's state points to it; it lies in that state
 *     3.13 to 3.15  the debug offsets give the offset of that pointer
 *
 * The GIL must be held by the calling thread, have the interval that `sys` reports, be followed by
 * two mutexes, and be the only such place. From 3.12 on a subinterpreter may have a GIL of its own,
 * to which its state points from the same offset. */
#ifndef STACKGLASS_INTERPRETER_GIL_SEARCH_H
#define STACKGLASS_INTERPRETER_GIL_SEARCH_H

#include <stdint.h>

#include "interpreter/gil.h"

/* The GIL, and the offset of the pointer to it in an interpreter state (0 = there is none: ≤3.11).
 * NULL, or one sentence. Caller holds the GIL of the main interpreter; sg_debug_offsets and
 * sg_python_symbols are known. */
const char *sg_gil_search(uintptr_t *gil, int32_t *pointer);

#endif
