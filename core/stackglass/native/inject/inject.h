/* Entering a running process: one of its threads is stopped, made to load our library and to call
 * its entry, and put back exactly as it was.
 *
 *   target's thread  ──┤ stopped ├─ mmap ─ dlopen ─ dlsym ─ enter ─ munmap ─┤ restored ├──▶
 *   everybody else   ─────────────────────────────────────────────────────────────────────▶
 *
 * Only one thread stops: had all of them stopped, one could hold a lock that dlopen waits for.
 * No text of the target is written: a function called by us returns to address 0, and the fault
 * there, which only we see, says that it has ended. */
#ifndef STACKGLASS_INJECT_INJECT_H
#define STACKGLASS_INJECT_INJECT_H

#include "inject/injection.h"

/* Do it, on this thread, which must have all signals blocked. Once a call has started in the
 * target it is waited for without limit: a thread let go in the middle of it would be lost. */
void sg_inject(const struct sg_injection *injection, struct sg_injection_result *result);

#endif
