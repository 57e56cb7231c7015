/* One injection while it goes on: what its two halves, search and visit, share. One thread. */
#ifndef STACKGLASS_INJECT_SESSION_H
#define STACKGLASS_INJECT_SESSION_H

#include "inject/inject.h"
#include "inject/tracee.h"

struct sg_self_profile {
    const struct sg_injection *injection;
    struct sg_injection_result *result;
    struct sg_saved saved;
    pid_t thread;
    uint64_t mapping; /* in the target; 0 = none */
    uint64_t text;    /* next free byte of the text area */
};

/* Note why it ended; returns `status`. */
int sg_visit_finish(struct sg_self_profile *session, enum sg_injection_status status, int error,
                    const char *text);

/* Load and enter in the session's thread, which is stopped at a good moment, and put it back as it
 * was; it stays stopped. enum sg_injection_status. */
int sg_visit(struct sg_self_profile *session);

#endif
