/* Obmalloc sharing: are there interpreters that have their own GIL, but share the main
 * interpreter's object allocator (obmalloc)? That is possible from 3.12 on.
 *
 *     main interpreter ── GIL ──┐                     ┌── own GIL ── interpreter
 *        the engine's thread    └──▶ one obmalloc ◀───┘   made with use_main_obmalloc
 *
 * Only the GIL guards an obmalloc state. If interpreters with two GILs share one state, two threads
 * that allocate at once corrupt it. A program with one Python thread is safe, because that thread
 * runs in one interpreter at a time. It stays safe only if the engine's thread allocates no objects
 * while such an interpreter exists. */
#ifndef STACKGLASS_INTERPRETER_OBMALLOC_SHARING_H
#define STACKGLASS_INTERPRETER_OBMALLOC_SHARING_H

#include <stdbool.h>

/* Does such an interpreter exist? Returns true also if an interpreter has no GIL yet, because its
 * settings are not known then. Returns false also if the interpreters' fields were not found.
 *
 * If the caller holds the main interpreter's GIL, false remains right until the caller releases
 * that GIL: a new interpreter is listed before the thread that makes it releases the GIL of its own
 * interpreter (unless that interpreter has a GIL of its own). Without the GIL the result is a hint.
 * Only the GIL worker calls this. */
bool sg_obmalloc_sharing_is_shared(void);

#endif
