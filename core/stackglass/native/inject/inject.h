/* Injection into a running process: one of its threads is stopped, made to load the engine's
 * library and to call its entry, and restored exactly.
 *
 *   target's thread  ──┤ stopped ├─ mmap ─ dlopen ─ dlsym ─ enter ─ munmap ─┤ restored ├──▶
 *   other threads    ─────────────────────────────────────────────────────────────────────▶
 *
 * Only one thread stops: if all did, one of them could hold a lock that dlopen waits for. The
 * target's code is not modified: a called function returns to address 0, and the fault there, which
 * only the tracer sees, marks its end. */
#ifndef STACKGLASS_INJECT_INJECT_H
#define STACKGLASS_INJECT_INJECT_H

#include "inject/injection.h"

/* Inject, and fill in `result`. The calling thread becomes the tracer and must have all signals
 * blocked. Once a call has started in the target, the tracer waits without limit until the call
 * returns: a thread released in the middle of the call could not be restored. */
void sg_inject(const struct sg_injection *injection, struct sg_injection_result *result);

#endif
