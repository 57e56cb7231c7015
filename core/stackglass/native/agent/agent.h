/* The engine inside a process: one socket, two threads, and the way in.
 *
 *   writer      owns the socket and all profiling state; never takes the GIL, so it answers
 *               while C code keeps it. Drains, interns, encodes, sends.
 *   symboliser  does what needs the GIL when the writer asks: prepare, name unseen code
 *               objects, snapshot threads, withdraw.
 *
 *     absent ──begin──▶ present ──nobody watches, detach, exit──▶ leaving ──threads gone──▶ absent
 */
#ifndef STACKGLASS_AGENT_AGENT_H
#define STACKGLASS_AGENT_AGENT_H

#include <stdbool.h>

#include "agent/arguments.h"
#include "platform/export.h"

/* Start the agent, or do nothing if it runs already. Called on a thread that an injector has
 * stopped anywhere, or by Python code: it takes no GIL and does no more than copy `arguments` and
 * start a thread. The same address serves every later attach.
 *
 * `arguments` is NUL-separated "key=value" fields, ended by an empty one:
 *   socket=PATH   where to listen (the injector's choice of directory); required
 *   uid=N         who may connect besides root and the process's own user: nobody else ever may
 *   hz=N          CPU rate to start with; default 100
 *   clock=NAME    auto, perf, perf+timer, ticker, timer; default auto
 *   heap=N        heap rate to start with, bytes; default 0, off
 *   native=0      without memory that libraries get past Python's allocators
 *   calls=N       system calls that may be made, enum sg_call of platform/permitted_calls.h, as the
 *                 attacher has read them from the filters; without it the engine finds out
 *   wait=1        hold every sample until a client has connected (record's own child)
 *
 * 0 = started; 1 = was running already (it listens at PATH too if it did not listen before, because
 * the program itself had started it); negative = -errno. */
SG_EXPORT int stackglass_enter(const char *arguments, unsigned long size);

enum sg_agent_state { SG_AGENT_ABSENT = 0, SG_AGENT_PRESENT, SG_AGENT_LEAVING };

/* As stackglass_enter; the socket may be "". */
int sg_agent_begin(const struct sg_arguments *arguments);
enum sg_agent_state sg_agent_state(void);
/* Whether samples are taken. */
bool sg_agent_is_profiling(void);
/* Sleep until the state may have changed, `timeout_ns` at most. Not by the engine's threads. */
void sg_agent_wait(long timeout_ns);

/* The interpreter ends: say what is known, leave, within half a second. Without the GIL. */
void sg_agent_exit(void);

/* By the writer. */
void sg_agent_set_profiling(void);
void sg_agent_set_leaving(void);
void sg_agent_set_left(void); /* Bye is said; the threads are about to end */
void sg_agent_notify(void);
bool sg_agent_is_exiting(void);
/* Where somebody asked it to listen since; true once for each. */
bool sg_agent_take_socket(struct sg_arguments *arguments);

/* In a forked child: nothing of the agent came along. */
void sg_agent_after_fork_in_child(void);

#endif
