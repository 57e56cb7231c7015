/* Visit: one injection while it is under way. Used by the tracer's thread only. */
#ifndef STACKGLASS_INJECT_VISIT_H
#define STACKGLASS_INJECT_VISIT_H

#include "inject/injection.h"
#include "inject/tracee.h"

struct sg_visit {
    const struct sg_injection *injection;
    struct sg_injection_result *result;
    struct sg_saved saved;
    pid_t thread;
    uint64_t mapping; /* address of the mapping in the target; 0 = none */
    uint64_t text;    /* address of the mapping's next free byte for texts */
};

/* Store the reason for which the visit ends. Returns `status`. */
int sg_visit_finish(struct sg_visit *visit, enum sg_injection_status status, int error,
                    const char *text);

/* Load the library and call its entry in the visit's thread, which is stopped where that is safe.
 * Then restore the thread, which stays stopped. Returns an enum sg_injection_status. */
int sg_visit_run(struct sg_visit *visit);

#endif
