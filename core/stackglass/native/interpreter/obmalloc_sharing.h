/* Interpreters with their own GIL that share the main interpreter's object allocator (3.12 and
 * later).
 *
 *     main interpreter ── GIL ──┐                     ┌── own GIL ── interpreter
 *        the engine's thread    └──▶ one obmalloc ◀───┘   made with use_main_obmalloc
 *
 * Nothing but the GIL guards an obmalloc state. With two GILs over one state, two threads that
 * allocate at once corrupt it. A program with one Python thread is safe, because that thread runs
 * in one interpreter at a time; it stays safe only if the engine's thread allocates nothing
 * meanwhile. */
#ifndef STACKGLASS_INTERPRETER_OBMALLOC_SHARING_H
#define STACKGLASS_INTERPRETER_OBMALLOC_SHARING_H

#include <stdbool.h>

/* True if such an interpreter exists, or one without a GIL yet, because its settings are not known.
 * With the main interpreter's GIL, false holds until the caller releases it: a new interpreter is
 * listed before its maker releases the GIL of the maker's interpreter (unless the maker runs in an
 * interpreter with a GIL of its own). Without the GIL the result is a hint. False also where the
 * interpreter's fields were not found. By the GIL worker only. */
bool sg_obmalloc_sharing_is_shared(void);

#endif
