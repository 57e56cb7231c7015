/* Failure: why no client can connect, or why one was dropped. The attacher reads it from the
 * process's memory. */
#ifndef STACKGLASS_PLATFORM_FAILURE_H
#define STACKGLASS_PLATFORM_FAILURE_H

#include <stdatomic.h>

#include "platform/export.h"

/* What failed. attach/engine_failure.py has the same values. */
enum sg_failure {
    SG_FAILURE_NONE,
    SG_FAILURE_THREAD, /* no thread could be started */
    SG_FAILURE_SOCKET, /* no socket could be made */
    SG_FAILURE_ACCEPT, /* no connection could be accepted */
    SG_FAILURE_MEMORY, /* no memory for messages: a client was dropped */
};

/* [0]: enum sg_failure; [1]: errno. Lock-free: the writing thread stores [1] first. */
SG_EXPORT extern _Atomic int stackglass_failure[2];

static inline void sg_failure_set(enum sg_failure failure, int error) {
    atomic_store(&stackglass_failure[1], error);
    atomic_store(&stackglass_failure[0], (int)failure);
}

#endif
