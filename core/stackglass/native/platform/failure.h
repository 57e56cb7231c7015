/* Why the engine could not be reached, where no message can say so: the attacher reads it in the
 * process's memory. */
#ifndef STACKGLASS_PLATFORM_FAILURE_H
#define STACKGLASS_PLATFORM_FAILURE_H

#include <stdatomic.h>

#include "platform/export.h"

/* attach/engine_failure.py has the same. */
enum sg_failure { SG_FAILURE_NONE, SG_FAILURE_THREAD, SG_FAILURE_SOCKET, SG_FAILURE_ACCEPT };

/* enum sg_failure, and errno. Written by the engine's threads, the second one first. */
SG_EXPORT extern _Atomic int stackglass_failure[2];

static inline void sg_failure_set(enum sg_failure failure, int error) {
    atomic_store(&stackglass_failure[1], error);
    atomic_store(&stackglass_failure[0], (int)failure);
}

#endif
