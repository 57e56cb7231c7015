/* Self profile: a CPU profile that the program takes of itself, a client without a socket.
 *
 *     none ──start──▶ wanted ──▶ running ──stop──▶ ending ──▶ ended ──bytes taken──▶ none
 *                        └──▶ failed ──▶ none
 *
 * The writer moves it from wanted to running or failed, and from ending to ended. It is independent
 * of attached clients: rates are the process's, and the last change wins. */
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

/* By the program's threads, without the GIL. */

/* Start the engine by `begin` unless it runs, and wait until samples are taken. NULL, or one
 * sentence that says why not; `is_in_use`: because a self profile runs already. */
const char *sg_self_profile_start(sg_begin_fn *begin, const struct sg_self_profile_rates *rates,
                                  enum sg_clock clock, bool *is_in_use);
/* Stop, wait until all samples are written, and for the engine to leave if it has no client. The
 * framed messages go to `bytes`, to be freed by the caller; `bytes->failed`: they became too many.
 * False if no self profile runs. */
bool sg_self_profile_stop(struct sg_buffer *bytes);

/* By the writer. */
enum sg_self_profile_request { SG_SELF_PROFILE_NONE, SG_SELF_PROFILE_BEGIN, SG_SELF_PROFILE_END };
enum sg_self_profile_request sg_self_profile_request(void);
const struct sg_self_profile_rates *sg_self_profile_rates(void);
void sg_self_profile_set_running(void);
void sg_self_profile_set_failed(const char *problem);
/* Takes the bytes over. */
void sg_self_profile_set_ended(struct sg_buffer *bytes);

void sg_self_profile_forget(void); /* in a forked child */

#endif
