/* Visit: one injection while it is under way. One thread. */
#ifndef STACKGLASS_INJECT_VISIT_H
#define STACKGLASS_INJECT_VISIT_H

#include "inject/injection.h"
#include "inject/tracee.h"

struct sg_visit {
    const struct sg_injection *injection;
    struct sg_injection_result *result;
    struct sg_saved saved;
    pid_t thread;
    uint64_t mapping; /* in the target; 0 = none */
    uint64_t text;    /* next free byte of the text area */
};

/* Store the reason of the end. Returns `status`. */
int sg_visit_finish(struct sg_visit *visit, enum sg_injection_status status, int error,
                    const char *text);

/* Load the library and call its entry in the visit's thread, which is stopped at a good moment, and
 * restore the thread, which stays stopped. Returns enum sg_injection_status. */
int sg_visit_run(struct sg_visit *visit);

#endif
