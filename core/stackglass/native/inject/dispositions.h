/* Dispositions: the signals of faults that the target ignores.
 *
 * An injected call ends with such a signal. If the target ignores it, the kernel sets its default
 * action before the tracer sees the signal, and a later signal of that number would end the
 * target. */
#ifndef STACKGLASS_INJECT_DISPOSITIONS_H
#define STACKGLASS_INJECT_DISPOSITIONS_H

#include <stdbool.h>

#include "inject/injection.h"
#include "inject/tracee.h"

/* Does the target ignore a signal that may end an injected call? */
bool sg_dispositions_has_ignored(const struct sg_injection *injection);
/* Ignore these signals again, where they have the default action now, by calls of a stopped and
 * saved thread. After this, only quiet system calls may be made. `scratch` is the address of 64
 * bytes in the target. */
void sg_dispositions_restore(const struct sg_injection *injection, pid_t thread,
                             struct sg_saved *saved, uint64_t scratch);

#endif
