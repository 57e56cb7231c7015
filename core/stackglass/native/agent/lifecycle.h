/* Lifecycle: the engine's state in this process.
 *
 *     ABSENT ──begin──▶ PRESENT ──last client left, exit──▶ LEAVING ──threads ended──▶ ABSENT
 *                          └──────────threads could not start, or a fork──────────────────▲
 *
 * A child that is forked before the fork handlers are registered is not reset at the fork. It knows
 * its parent's state by the process that began it.
 *
 * All functions are lock-free. Any thread may call them, unless a function says otherwise. */
#ifndef STACKGLASS_AGENT_LIFECYCLE_H
#define STACKGLASS_AGENT_LIFECYCLE_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/arguments.h"

enum sg_lifecycle { SG_AGENT_ABSENT = 0, SG_AGENT_PRESENT, SG_AGENT_LEAVING };
/* Return the state. The parent's state, which a forked child has until its reset, is ABSENT. */
enum sg_lifecycle sg_lifecycle_state(void);

/* Whether the state is not ABSENT, or the parent's was not at the fork. */
bool sg_lifecycle_is_begun(void);
/* If the state is the parent's, make it this process's, which then has to be reset. Returns whether
 * it was; of several threads, one gets true. */
bool sg_lifecycle_disinherit(void);

/* Change ABSENT to PRESENT; any other state stays. Returns the state before the call: ABSENT =
 * success. */
enum sg_lifecycle sg_lifecycle_begin(void);
/* Change the state to ABSENT, because the engine's threads have ended or could not start, or
 * because this is a forked child. */
void sg_lifecycle_end(void);

/* Whether samples are taken. */
bool sg_lifecycle_is_profiling(void);
/* Whether the writer has sent its last Bye. */
bool sg_lifecycle_has_left(void);

/* Only the writer calls these three. */
void sg_lifecycle_set_profiling(void);
void sg_lifecycle_set_leaving(void);
void sg_lifecycle_set_left(void);

/* Type of sg_agent_begin, which starts the engine. program_requests.c gets it as an argument,
 * so that it need not include agent.h. */
typedef int sg_begin_fn(const struct sg_arguments *arguments);
/* Why it has returned this negative number, for the program. */
const char *sg_lifecycle_explain_begin(int failed);

/* Wake the threads that wait for a change. */
void sg_lifecycle_notify(void);
/* Return how many changes there were. A thread that waits reads this first, then checks its
 * condition, then sleeps: a change between the check and the sleep is not missed. */
uint32_t sg_lifecycle_count(void);
/* Sleep until there were more changes than `seen`, `timeout_ns` at most. May return early. The
 * engine's threads must not call this. */
void sg_lifecycle_wait(uint32_t seen, int64_t timeout_ns);
/* Sleep while the engine is leaving, at most until the interpreter begins to end. */
void sg_lifecycle_wait_while_leaving(void);
/* Sleep until the engine has left, `timeout_ns` at most. */
void sg_lifecycle_wait_for_end(int64_t timeout_ns);

/* Offer the socket of a second entry to the engine that is already running. Has no effect without a
 * socket, or while another offer is waiting. */
void sg_lifecycle_offer_socket(const struct sg_arguments *arguments);
/* Move the waiting offer to `arguments`. Returns false if there is none. Only the writer calls
 * this. */
bool sg_lifecycle_take_socket(struct sg_arguments *arguments);

#endif
