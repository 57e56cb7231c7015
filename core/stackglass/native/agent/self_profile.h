/* Self profile: a CPU profile that the program takes of itself, a client without a socket.
 *
 *     none ──start──▶ wanted ──▶ beginning ──▶ running ──stop──▶ ending ──▶ ended ──▶ none
 *                        │           │          │  ▲                           bytes taken
 *                        │           │         take└────── taken
 *                     given up       │          ▼            ▲
 *                        │           │         taking ───────┘
 *                        ▼           ▼
 *                       none       failed ──▶ none
 *
 * The writer changes the state from wanted to beginning, and from there to running or failed, from
 * taking to taken, from ending to ended, and, as the interpreter ends, from any of a running
 * profile to ended. Attached clients do not affect the state, but all share the rates of the
 * process, where the last change wins. */
#ifndef STACKGLASS_AGENT_SELF_PROFILE_H
#define STACKGLASS_AGENT_SELF_PROFILE_H

#include <stdbool.h>

#include "agent/lifecycle.h"
#include "cpu/cpu.h"
#include "platform/encoder.h"

struct sg_self_profile_rates {
    int hz;           /* of CPU samples */
    unsigned wall_hz; /* of wall samples; 0 = none */
};

/* Why no self profile began. */
struct sg_self_profile_problem {
    bool is_in_use; /* one runs already */
    char text[256]; /* one sentence */
};

/* Threads of the program call these three functions, without the GIL. */

/* Start the engine by `begin` unless it runs, and wait until samples are taken. Returns false and
 * fills `problem` if no profile began. */
bool sg_self_profile_start(sg_begin_fn *begin, const struct sg_self_profile_rates *rates,
                           enum sg_clock clock, struct sg_self_profile_problem *problem);
/* Wait until all samples so far are written, and take their messages; the profile runs on. `bytes`
 * gets the framed messages since the last call, and the caller frees them; `bytes->failed` is set
 * if they became too many. Returns false if no self profile runs. */
bool sg_self_profile_take(struct sg_buffer *bytes);
/* Stop the profile, and wait until all samples are written and, if the engine has no client, until
 * it has left. `bytes` gets the framed messages since the last take, and the caller frees them;
 * `bytes->failed` is set if they became too many. Returns false if no self profile runs. */
bool sg_self_profile_stop(struct sg_buffer *bytes);

/* Only the writer calls the following functions. */
enum sg_self_profile_request {
    SG_SELF_PROFILE_NONE,
    SG_SELF_PROFILE_BEGIN,
    SG_SELF_PROFILE_TAKE,
    SG_SELF_PROFILE_END,
};
enum sg_self_profile_request sg_self_profile_request(void);
/* Take the request to begin. Returns the rates, valid until one of the next two calls, which has to
 * follow; NULL = there is no request, or its caller has just given up. */
const struct sg_self_profile_rates *sg_self_profile_begin(void);
void sg_self_profile_set_running(void);
void sg_self_profile_set_failed(const char *problem);
/* These two move the content of `bytes` to the self profile. The first leaves `bytes` as they are
 * if they have failed: what is lost is lost until the profile ends. */
void sg_self_profile_set_taken(struct sg_buffer *bytes);
void sg_self_profile_set_ended(struct sg_buffer *bytes);

void sg_self_profile_forget(void); /* in a forked child */

#endif
